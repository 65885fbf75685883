import { describe, expect, test } from 'vitest';
import { expectReady, openedCloudflare, setUpCloudflare } from '../../support/cloudflare-setup.ts';

describe('a removal', () => {
  test('a removal leaves alone what the owner has changed since the setup', async () => {
    const scene = await openedCloudflare();
    const run = await scene.start();
    await setUpCloudflare(scene, run);
    const [record, route] = [scene.fake.records[0], scene.fake.routes[0]];
    if (!record || !route) throw new Error('Nothing was created.');
    record.content = 'elsewhere.test';
    route.script = 'theirs';
    await run.settings.update({ tunnel: { hostname: 'mine.test' } });
    await run.handlers['cloudflare.disconnect']({ apiToken: scene.fake.token });
    expect(scene.fake.contents()).toEqual([
      'CNAME porch.example.com elsewhere.test',
      'route porch.example.com/* theirs',
    ]);
    expect(run.settings.get().tunnel).toMatchObject({ mode: 'named', hostname: 'mine.test' });
  });

  test('finds a tunnel that the owner has renamed', async () => {
    const scene = await openedCloudflare();
    const run = await scene.start();
    await setUpCloudflare(scene, run);
    const [tunnel] = scene.fake.tunnels;
    if (!tunnel) throw new Error('Nothing was created.');
    tunnel.name = 'at-home';
    // A resumed setup uses it too, instead of creating a second one.
    await setUpCloudflare(scene, run);
    expectReady(scene, run);
    await run.handlers['cloudflare.disconnect']({ apiToken: scene.fake.token });
    expect(scene.fake.contents()).toEqual([]);
  });

  test('a removal leaves a tunnel of the owner that has the same name as Porchlight’s', async () => {
    const scene = await openedCloudflare();
    const run = await scene.start();
    await setUpCloudflare(scene, run);
    const [tunnel] = scene.fake.tunnels;
    if (!tunnel) throw new Error('Nothing was created.');
    scene.fake.addTunnel(tunnel.name);
    tunnel.name = 'at-home';
    await run.handlers['cloudflare.disconnect']({ apiToken: scene.fake.token });
    expect(scene.fake.contents()).toEqual([expect.stringMatching(/^tunnel porchlight-/)]);
  });

  test('tells whether the owner has removed the route', async () => {
    const scene = await openedCloudflare();
    const run = await scene.start();
    await setUpCloudflare(scene, run, { keepToken: true });
    scene.fake.routes.length = 0;
    expect(await run.isMailboxRouted()).toBe(false);
  });

  test('accepts that everything is already gone', async () => {
    const scene = await openedCloudflare();
    const run = await scene.start();
    await setUpCloudflare(scene, run);
    for (const list of [scene.fake.tunnels, scene.fake.records, scene.fake.scripts, scene.fake.routes])
      list.length = 0;
    const status = await run.handlers['cloudflare.disconnect']({ apiToken: scene.fake.token });
    expect(status).toMatchObject({ state: 'none', created: [] });
    expect(run.events.slice(3)).toEqual(['mailbox off', 'tunnel off', 'no tunnel token']);
    expect(run.settings.get().tunnel).toMatchObject({ mode: 'off', hostname: '' });
    expect(run.recorded).toEqual(['cloudflare.ready', 'cloudflare.removed']);
  });

  test('of nothing needs no token', async () => {
    const run = await (await openedCloudflare()).start();
    expect(await run.handlers['cloudflare.disconnect']({})).toMatchObject({ state: 'none' });
  });
});
