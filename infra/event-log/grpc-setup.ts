import { isIP } from "node:net";
import type { SecureContext } from "node:tls";
import { credentials } from "@grpc/grpc-js";

/**
 * Excludes loopback from the HTTP proxy of the environment, which gRPC would use for calls to this machine as well. Must
 * run before the first call of the process.
 */
export function keepLoopbackFromProxies(): void {
  const { grpc_proxy, https_proxy, http_proxy, no_grpc_proxy, no_proxy } = process.env;
  if (!grpc_proxy && !https_proxy && !http_proxy) return;
  const excepted = (no_grpc_proxy || no_proxy || "").split(",").filter((name) => name !== "");
  process.env.no_grpc_proxy = [...new Set([...excepted, "localhost", "127.0.0.1"])].join(",");
}

/** The part of gRPC's credentials that opens a connection with TLS. Its version is pinned, and tests cover this. */
interface SecureCredentials {
  _createSecureConnector(...target: unknown[]): { readonly connectionOptions: { servername?: string } };
}

/**
 * gRPC names the host of a server in TLS, which Node refuses from 26 on when it is an IP address (RFC 6066). Without the
 * name, the certificate is still checked against the host. Must run before the first connection of the
 * process.
 */
export function omitAddressesFromServerNames(): void {
  const secure: SecureCredentials = Object.getPrototypeOf(credentials.createFromSecureContext({} as SecureContext));
  const create = secure._createSecureConnector;
  secure._createSecureConnector = function (...target) {
    const connector = create.apply(this, target);
    const { connectionOptions } = connector;
    if (isIP(connectionOptions.servername ?? "") !== 0) delete connectionOptions.servername;
    return connector;
  };
}
