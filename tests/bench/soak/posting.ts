import { randomBytes } from 'node:crypto';
import { page } from '../../support/client-app.ts';
import { drawing } from '../../support/picture-samples.ts';
import { digestOf, type KeptPost } from './ledger.ts';
import { answered, type Lane, type Scene } from './work.ts';

const kilobyte = 1024;

/** An app that writes posts with files, changes them, deletes some and takes that back; a third link another site. */
export function posting({ house, ledger, bearer, sites }: Scene): Lane {
  const endpoint = `${house.base}/micropub`;
  const [neighbour] = sites;

  async function send(body: object, ...expected: number[]): Promise<Response> {
    const headers = { ...bearer, 'content-type': 'application/json' };
    const response = await fetch(endpoint, { method: 'POST', headers, body: JSON.stringify(body) });
    await answered(response, ...expected);
    return response;
  }

  async function change(url: string, kept: KeptPost, action: object): Promise<void> {
    await send({ ...action, url }, 200, 201, 204);
    ledger.posts.set(url, kept);
  }

  async function upload(number: number): Promise<string> {
    const isPicture = number % 2 === 0;
    const bytes = isPicture
      ? await drawing(320 + (number % 64), 240)
          .png()
          .toBuffer()
      : Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes((20 + (number % 150)) * kilobyte)]);
    const form = new FormData();
    const type = isPicture ? 'image/png' : 'application/pdf';
    form.set('file', new Blob([new Uint8Array(bytes)], { type }), `file-${number}`);
    const response = await fetch(`${house.base}/media`, { method: 'POST', headers: bearer, body: form });
    await answered(response, 201);
    const url = response.headers.get('location') ?? '';
    const served = await answered(await fetch(url), 200);
    if (!isPicture && !served.equals(bytes)) throw new Error('an upload was served with other bytes');
    ledger.files.set(url, digestOf(served));
    ledger.count('uploads');
    if (isPicture) await house.call('media.thumbnail', { url });
    return isPicture ? url : '';
  }

  /** A page that takes webmentions. */
  function linkedPage(number: number): string | undefined {
    if (number % 3 !== 0 || !neighbour) return undefined;
    const link = { 'content-type': 'text/html', link: '</takes-mentions>; rel="webmention"' };
    neighbour.pages.set('/takes-mentions', page('', {}, 202));
    neighbour.pages.set(`/linked/${number}`, page('<p>A page.</p>', link));
    return `${neighbour.origin}/linked/${number}`;
  }

  return {
    name: 'posting',
    pauseMs: 400,
    async turn(number) {
      const photo = number % 3 === 1 ? await upload(number) : '';
      const links = linkedPage(number);
      const first = `Number ${number} of the soak.`;
      const content = links === undefined ? first : { html: `<p>${first} <a href="${links}">There</a></p>` };
      const properties = {
        content: [content],
        category: [`soak-${number % 20}`],
        ...(photo && { photo: [photo] }),
      };
      const created = await send({ type: ['h-entry'], properties }, 201, 202);
      const url = created.headers.get('location') ?? '';
      let kept: KeptPost = { text: first, isDeleted: false, ...(links !== undefined && { links }) };
      ledger.posts.set(url, kept);
      ledger.count('posts');
      if (number % 2 === 1) {
        kept = { ...kept, text: `Number ${number}, said in other words.` };
        await change(url, kept, { action: 'update', replace: { content: [kept.text] } });
        ledger.count('updates');
      }
      if (number % 5 === 4) {
        await change(url, { ...kept, isDeleted: true }, { action: 'delete' });
        ledger.count('deletions');
        if (number % 2 === 0) await change(url, kept, { action: 'undelete' });
      }
    },
  };
}
