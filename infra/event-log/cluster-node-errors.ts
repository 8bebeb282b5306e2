import { EventStoreDBClient } from "@eventstore/db-client";
import gossipContract from "@eventstore/db-client/generated/gossip_grpc_pb.js";
import shared from "@eventstore/db-client/generated/shared_pb.js";
import { Metadata } from "@grpc/grpc-js";

type GossipClient = InstanceType<typeof gossipContract.GossipClient>;

/** A method of the client that its types hide. With it, options such as a CA file apply as to every other call. */
interface ClientInside {
  getGRPCClient(service: typeof gossipContract.GossipClient, name: string): Promise<GossipClient>;
}

/** How long a node may take to respond. */
const timeoutMs = 1_000;

/**
 * Why no node of a cluster can be used, which the client does not report: the distinct errors of the nodes in the address.
 * Empty when all respond, but none leads or follows.
 * @param connectionString `esdb://one,two,three` or `esdb+discover://one`
 */
export async function errorsOfNodes(connectionString: string): Promise<readonly string[]> {
  const [, hosts = "", options = ""] = /^esdb(?:\+discover)?:\/\/([^/?]+)(.*)$/.exec(connectionString) ?? [];
  const errors = await Promise.all(hosts.split(",").map((host) => errorOfNode(`esdb://${host}${options}`)));
  return [...new Set(errors.filter((error) => error !== null))];
}

async function errorOfNode(connectionString: string): Promise<string | null> {
  const inside = EventStoreDBClient.connectionString(connectionString) as unknown as ClientInside;
  const client = await inside.getGRPCClient(gossipContract.GossipClient, "gossip");
  return new Promise((resolve) => {
    client.read(new shared.Empty(), new Metadata(), { deadline: Date.now() + timeoutMs }, (error) => {
      client.close();
      resolve(error === null ? null : error.message);
    });
  });
}
