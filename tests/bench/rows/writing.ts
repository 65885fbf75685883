import sharp from 'sharp';
import { fromTunnel } from '../load.ts';
import type { Server } from '../servers.ts';
import type { RequestRow } from './request-row.ts';

const asApps = ({ tokens }: Server) =>
  tokens.map((token) => ({ ...fromTunnel, authorization: `Bearer ${token}` }));
const words = 'The light on the porch is on and the kettle is on too, come in and stay for a while. ';
const boundary = 'frontier';

/** A row of uploads, compared with receiving the same bytes into a file. `content`: one character for each byte. */
const upload = (
  file: { readonly fileName: string; readonly type: string; readonly content: string },
  row: Pick<RequestRow, 'name' | 'title' | 'most' | 'amount'>,
): RequestRow => ({
  ...row,
  status: 201,
  requests: (server) => [
    {
      method: 'POST',
      path: '/media',
      headers: { ...asApps(server)[0], 'content-type': `multipart/form-data; boundary=${boundary}` },
      isBinary: true,
      body: [
        `--${boundary}`,
        `content-disposition: form-data; name="file"; filename="${file.fileName}"`,
        `content-type: ${file.type}`,
        '',
        file.content,
        `--${boundary}--`,
        '',
      ].join('\r\n'),
    },
  ],
  work: () => Promise.resolve({ kind: 'receive' }),
});

/**
 * Uploads of a document and of a photo with metadata, as a camera makes it. Each file is different. The number of photos
 * is fixed, because a short round would mostly measure the start of the thread that reads pictures.
 */
export async function uploadRows(): Promise<RequestRow[]> {
  const pdf = `%PDF-1.7\n{n}\n${'x'.repeat(2_000_000)}`;
  return [
    upload(
      { fileName: 'a.pdf', type: 'application/pdf', content: pdf },
      { name: 'upload', title: 'upload, PDF of 2 MB', most: 32 },
    ),
    upload(
      { fileName: 'a.jpg', type: 'image/jpeg', content: (await photo()).toString('latin1') },
      { name: 'jpeg', title: 'upload, JPEG of 700 KB', amount: 16 },
    ),
  ];
}

/** Returns a JPEG of about 700 KB, with a place and a camera in its metadata, and a placeholder that keeps its length. */
function photo(): Promise<Buffer> {
  const [width, height] = [1600, 1200];
  // Coarse noise, the same in each run, so that the size is that of a photo of so many pixels.
  const raw = { width: width / 4, height: height / 4, channels: 3 as const };
  let seed = 1;
  const noise = Buffer.alloc(raw.width * raw.height * raw.channels).map(
    () => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff) >> 16,
  );
  return sharp(noise, { raw })
    .resize(width, height)
    .withExif({
      IFD0: { Make: 'A camera', Model: 'One', Copyright: 'Number {number}' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '47/1 36/1 22/1' },
    })
    .jpeg({ quality: 82 })
    .toBuffer();
}

/** A mention from a network and a site of its own, because the limits for each of them are not measured. */
const mention = (source: string) => ({
  method: 'POST' as const,
  path: '/webmention',
  headers: { ...fromTunnel, 'content-type': 'application/x-www-form-urlencoded' },
  body: `source=${source}&target=https://owner.example/page-{n}`,
});

/** The queue has room for 10,000 mentions, for all rounds of both rows together. */
const mostMentions = 800;
/** What a mention and its work take in the database, about. */
const queueLine = () => Promise.resolve({ kind: 'commit' as const, bytes: 500 });

const postBody = JSON.stringify({ type: ['h-entry'], properties: { content: [words.repeat(2)] } });

const create: RequestRow = {
  name: 'create',
  title: 'create, 16 at once',
  status: 201,
  requests: (server) =>
    asApps(server).map((app) => ({
      method: 'POST',
      path: '/micropub',
      headers: { ...app, 'content-type': 'application/json' },
      body: postBody,
    })),
  // Its file is written after the response, but it is a part of the work.
  work: () => Promise.resolve({ kind: 'post', bytes: postBody.length + 700 }),
};

/**
 * The requests whose result is on disk before the response. `silentPort`: of a server that accepts connections and
 * never responds.
 */
export function writingRows(silentPort: number): readonly RequestRow[] {
  return [
    create,
    { ...create, name: 'create-alone', title: 'create, one at a time', connections: 1 },
    {
      name: 'accept-refused',
      title: 'accept a mention, source refuses',
      status: 201,
      // Nothing listens on port 9.
      requests: () => [mention('http://127.{net}:9/{n}')],
      most: mostMentions,
      work: queueLine,
    },
    {
      name: 'accept',
      title: 'accept a mention',
      status: 201,
      requests: () => [mention(`http://127.{net}:${silentPort}/{n}`)],
      most: mostMentions,
      work: queueLine,
    },
  ];
}
