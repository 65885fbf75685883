import { connect } from 'node:net';
import { limitOf } from './patience.ts';

/** What came back over the wire. */
export interface RawAnswer {
  /** The status of each answer; empty where the connection was just closed. */
  readonly statuses: number[];
  /** The header lines of the first answer, lower-case. */
  readonly head: string;
  readonly body: string;
  /** True where the server said nothing and kept the connection. */
  readonly silent: boolean;
}

const patienceMs = limitOf(8000);

/**
 * Writes bytes to the server at `base` just as they are, and reads until the server hangs up. `hangUp` ends our side
 * at once, for what is no whole request; Node's server then answers only what it has answered by then.
 */
export function rawRequest(
  base: string,
  bytes: string | Uint8Array,
  { hangUp = false } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let silent = false;
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.setTimeout(patienceMs, () => {
      silent = true;
      socket.destroy();
    });
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('end', () => socket.end());
    socket.on('error', () => socket.destroy()); // a server may hang up in the middle of it
    socket.on('close', () => resolve({ ...parse(Buffer.concat(chunks).toString('latin1')), silent }));
    if (hangUp) socket.end(bytes);
    else socket.write(bytes);
  });
}

function parse(text: string): Omit<RawAnswer, 'silent'> {
  const statuses = [...text.matchAll(/^HTTP\/1\.[01] (\d{3})/gm)].map(([, status]) => Number(status));
  const final = text.replace(/^(HTTP\/1\.1 1\d\d[^\r]*\r\n(?:[^\r\n]+\r\n)*\r\n)*/, '');
  const [head = '', ...rest] = final.split('\r\n\r\n');
  return { statuses, head: head.toLowerCase(), body: rest.join('\r\n\r\n') };
}
