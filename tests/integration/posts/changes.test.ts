import { afterAll, beforeAll, expect, test } from 'vitest';
import { openMicropub, type MicropubServer } from '../../support/micropub-server.ts';

let server: MicropubServer;
beforeAll(async () => {
  server = await openMicropub();
});
afterAll(() => server.close());

test('listeners learn of a change and of the earlier version before it is answered', async () => {
  const first = await server.create({ content: ['One'], 'in-reply-to': ['https://a.example/'] });
  expect(server.changes).toHaveLength(1);
  expect(server.changes[0]).toMatchObject({ change: 'created', url: first });
  expect(server.changes[0]?.before).toBeUndefined();

  const replace = { content: ['Two'], 'in-reply-to': ['https://b.example/'], 'mp-slug': ['moved'] };
  const moved = await server.send({ action: 'update', url: first, replace });
  const url = moved.headers.get('location') ?? '';
  expect(server.changes[1]).toMatchObject({
    change: 'updated',
    url,
    post: { properties: { content: ['Two'], 'in-reply-to': ['https://b.example/'] } },
    before: {
      path: server.changes[0]?.post.path,
      properties: { content: ['One'], 'in-reply-to': ['https://a.example/'] },
    },
  });

  await server.send({ action: 'delete', url });
  await server.send({ action: 'delete', url }); // the first one may have failed halfway
  await server.send({ action: 'undelete', url });
  expect(server.changes.slice(2)).toMatchObject([
    { change: 'deleted', before: { deletedAt: null }, post: { deletedAt: expect.any(String) as string } },
    { change: 'deleted', before: { deletedAt: expect.any(String) as string } },
    { change: 'undeleted', before: { deletedAt: expect.any(String) as string }, post: { deletedAt: null } },
  ]);
});
