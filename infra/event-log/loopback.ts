/**
 * gRPC sends calls through the HTTP proxy that the environment names, calls to this very machine too. Takes loopback out.
 * For this process, before its first call.
 */
export function keepLoopbackFromProxies(): void {
  const { grpc_proxy, https_proxy, http_proxy, no_grpc_proxy, no_proxy } = process.env;
  if (!grpc_proxy && !https_proxy && !http_proxy) return;
  const excepted = (no_grpc_proxy || no_proxy || "").split(",").filter((name) => name !== "");
  process.env.no_grpc_proxy = [...new Set([...excepted, "localhost", "127.0.0.1"])].join(",");
}
