import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Server } from '../servers.ts';
import type { RequestRow } from './request-row.ts';

const asApp = ({ token }: Server) => ({ authorization: `Bearer ${token}` });
const words = 'The light on the porch is on and the kettle is on too, come in and stay for a while. ';

/** A mention from a network and a site of its own, because the limits for each of them are not measured. */
const mention = (source: string) => ({
  method: 'POST' as const,
  path: '/webmention',
  headers: {
    'content-type': 'application/x-www-form-urlencoded',
    'cf-connecting-ip': '198.{net}',
  },
  body: `source=${source}&target=https://owner.example/page-{n}`,
});

/** The queue has room for 10,000 mentions, for all rounds of both rows together. */
const mostMentions = 800;
/** What a mention and its work take in the database, about. */
const queueLine = () => Promise.resolve({ kind: 'append' as const, bytes: 500 });

/**
 * The requests whose result is on disk before the response. `silentPort`: of a server that accepts connections and
 * never responds.
 */
export function writingRows(silentPort: number): readonly RequestRow[] {
  return [
    {
      name: 'create',
      title: 'create',
      status: 201,
      requests: (server) => [
        {
          method: 'POST',
          path: '/micropub',
          headers: { ...asApp(server), 'content-type': 'application/json' },
          body: JSON.stringify({ type: ['h-entry'], properties: { content: [words.repeat(2)] } }),
        },
      ],
      async work({ dataDir }, first) {
        const { pathname } = new URL(first.headers.get('location') ?? '');
        return { kind: 'file', bytes: (await stat(path.join(dataDir, `${pathname}.json`))).size };
      },
    },
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
