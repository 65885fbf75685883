import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A proxy that keeps every byte that is sent through it. */
export interface Recorder {
  /** The address of the proxy, without a slash at its end. */
  readonly url: string;
  /** Everything that was sent to the server behind it so far, one character per byte. */
  sent(): string;
}

/** Starts a recorder in front of the server at `url`. It ends with the test. */
export async function openRecorder(url: string): Promise<Recorder> {
  const { hostname, port } = new URL(url);
  const sent: Buffer[] = [];
  const open = new Set<Socket>();
  const proxy = createServer((from) => {
    const to = connect(Number(port), hostname);
    open.add(from).add(to);
    from.on('data', (bytes) => sent.push(bytes));
    from.pipe(to).pipe(from);
    from.on('error', () => to.destroy());
    to.on('error', () => from.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    proxy.close();
    for (const socket of open) socket.destroy();
  });
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    sent: () => Buffer.concat(sent).toString('latin1'),
  };
}
