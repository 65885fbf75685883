import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { startHeadless } from '../support/headless-process.ts';
import { heading, row } from './report.ts';
import { residentMegabytes } from './start-up.ts';

const megabytes = 500;
const sampledEveryMs = 25;
const pdf = Buffer.from('%PDF-1.7\n');

/** How much the memory of the process grows while one large file comes in. */
export async function benchUpload(): Promise<void> {
  const porchlight = await startHeadless({ args: ['--me', 'https://owner.example/'] });
  await porchlight.call('settings.update', { micropub: { mediaLimitBytes: 2 * megabytes * 1_000_000 } });
  const { token } = await porchlight.call('apps.issueToken', { label: 'Benchmark', scopes: ['create'] });
  const upload = async (size: number) => {
    const sending = request(`${porchlight.ready.baseUrl}/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=frontier' },
    });
    const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
    await pipeline(Readable.from(formOf(size)), sending);
    const [{ statusCode }] = await answered;
    if (statusCode !== 201) throw new Error(`the upload was refused: ${statusCode}`);
  };
  await upload(1_000_000); // what is loaded for the first file of all does not grow with its size
  const memory = () => residentMegabytes(porchlight.child.pid ?? 0);
  const before = await memory();
  let most = before;
  const timer = setInterval(() => void memory().then((now) => (most = Math.max(most, now))), sampledEveryMs);
  const began = performance.now();
  await upload(megabytes * 1_000_000);
  const seconds = (performance.now() - began) / 1000;
  clearInterval(timer);
  heading(`An upload of ${megabytes} MB, on disk before its answer`);
  row('MB a second', (megabytes / seconds).toFixed(0));
  row('memory before, MB', before.toFixed(0));
  row('memory at most, MB', most.toFixed(0), `grew by ${(most - before).toFixed(0)} MB (aim: under 64)`);
  await porchlight.remove();
}

/** A form with a file part of `size` bytes, made as it is read. */
async function* formOf(size: number): AsyncGenerator<Uint8Array> {
  const chunk = randomBytes(64 * 1024);
  const head =
    '--frontier\r\ncontent-disposition: form-data; name="file"; filename="large.pdf"\r\ncontent-type: application/pdf\r\n\r\n';
  yield await Promise.resolve(Buffer.from(head));
  yield pdf;
  for (let sent = pdf.length; sent < size; sent += chunk.length) yield chunk.subarray(0, size - sent);
  yield Buffer.from('\r\n--frontier--\r\n');
}
