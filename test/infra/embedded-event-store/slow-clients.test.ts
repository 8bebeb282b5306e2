import type { ServerInterceptingCallInterface, ServerMethodDefinition } from "@grpc/grpc-js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { pipelined } from "../../../infra/embedded-event-store/slow-clients.ts";

const pressure = suite("embedded event store: slow clients");

pressure("64 KiB of a call are on their way at once, and its next message when some have been sent", () => {
  const onTheirWay: (() => void)[] = [];
  const socket = { sendMetadata() {}, sendMessage: (_message: unknown, sent: () => void) => onTheirWay.push(sent) };
  const call = pipelined(
    { responseStream: true } as ServerMethodDefinition<unknown, unknown>,
    socket as unknown as ServerInterceptingCallInterface,
  );
  let sent = 0;
  const send = () =>
    call.sendMessage(Buffer.alloc(16 * 1024), () => {
      sent += 1;
    });
  for (const expected of [1, 2, 3, 3]) {
    send();
    assert.is(sent, expected);
  }
  onTheirWay[0]?.();
  assert.is(sent, 4);
});

pressure.run();
