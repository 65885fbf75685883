import autocannon from 'autocannon';
import { filled, isDifferentEachTime, networks, type LoadAnswer, type LoadOrder } from './load.ts';

// Generates the load, as a process of its own, so that it shares no thread with a server or with the benchmark.

/** Counts the requests in which a placeholder was filled, so that each of them is different. */
let turn = 0;
/** Autocannon ends a run at such a moment (ms), so this is kept short. Its own times are not used. */
const sampleInt = 20;

process.on('message', (order: LoadOrder) => {
  run(order).then(
    (seconds) => process.send?.({ seconds } satisfies LoadAnswer),
    (error: unknown) => process.send?.({ problem: String(error) } satisfies LoadAnswer),
  );
});
process.once('disconnect', () => process.exit());

/** Sends exactly `amount` requests and checks each response. Returns the seconds until the last response. */
async function run({ url, requests, amount, connections, expected }: LoadOrder): Promise<number> {
  const began = performance.now();
  let ended = began;
  let wrong: string | undefined;
  const perConnection = Math.ceil(networks / connections);
  let connection = 0;
  /** Made before they are sent, because that costs the visitors less time. */
  const fixed = () => {
    const first = connection++ * perConnection;
    const lengths = requests.length * perConnection;
    return Array.from({ length: lengths }, (_, index) =>
      filled(requests[index % requests.length]!, first + Math.floor(index / requests.length)),
    );
  };
  const isFixed = !requests.some(isDifferentEachTime);
  const running = autocannon({
    url,
    amount,
    connections: Math.min(connections, amount),
    sampleInt,
    timeout: 600,
    requests: requests.map((request) => ({
      ...filled(request, 0),
      ...(!isFixed && { setupRequest: (each: object) => ({ ...each, ...filled(request, turn++) }) }),
    })),
    setupClient: (client) => {
      if (isFixed) client.setRequests(fixed());
      client.on('response', (status, bytes) => {
        ended = performance.now();
        if (status !== expected.status || bytes < expected.bytes)
          wrong ??= `status ${status}, ${bytes} bytes`;
      });
    },
  });
  const { errors, mismatches, requests: answered } = await running;
  if (wrong !== undefined) throw new Error(`a response was wrong: ${wrong}`);
  if (errors + mismatches > 0) throw new Error(`${errors} connections failed`);
  if (answered.total !== amount) throw new Error(`${answered.total} of ${amount} requests were answered`);
  return (ended - began) / 1000;
}
