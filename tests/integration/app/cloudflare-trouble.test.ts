import { describe, expect, test } from 'vitest';
import { expectReady, failureOf, openedCloudflare, setUpCloudflare } from '../../support/cloudflare-setup.ts';

describe('a failure', () => {
  test('names every permission that the token lacks', async () => {
    const scene = await openedCloudflare();
    scene.fake.lacks.add('Zone · DNS · Edit').add('Account · Workers Scripts · Edit');
    const run = await scene.start();
    const error = await failureOf(run.handlers['cloudflare.connect']({ apiToken: scene.fake.token }));
    expect(error.code).toBe('cloudflare_token');
    expect(error.message).toContain('“Account · Workers Scripts · Edit”, “Zone · DNS · Edit”');
  });

  test('of the domain creates nothing', async () => {
    const scene = await openedCloudflare();
    scene.fake.zone.status = 'pending';
    const run = await scene.start();
    expect((await failureOf(setUpCloudflare(scene, run))).message).toContain(
      'isn’t active at Cloudflare yet',
    );
    expect(scene.fake.contents()).toEqual([]);
  });

  test('in the middle of a setup is reported, kept, and resumed with another token', async () => {
    const scene = await openedCloudflare();
    const run = await scene.start();
    scene.fake.trouble({ on: /^PUT .*scripts/, answer: { status: 403, code: 10000 } });
    const error = await failureOf(setUpCloudflare(scene, run));
    expect(error.code).toBe('cloudflare_token');
    const status = run.handlers['cloudflare.status']();
    expect(status).toMatchObject({ state: 'unfinished', task: 'setUp', tokenKept: true });
    expect(status.words).toContain('“Account · Workers Scripts · Edit”');
    expect((await failureOf(run.handlers['cloudflare.resume']({ apiToken: 'mistyped' }))).code).toBe(
      'cloudflare_token',
    );
    expect(run.handlers['cloudflare.status']()).toEqual(status);
    scene.fake.trouble();
    await run.handlers['cloudflare.resume']({ apiToken: scene.fake.token });
    expectReady(scene, run);
    expect(await run.secrets.get('cloudflare-token')).toBeNull();
  });

  test('a setup that is still running when Porchlight quits counts as interrupted', async () => {
    const scene = await openedCloudflare();
    const run = await scene.start();
    scene.fake.trouble({ on: /configurations$/, afterEffect: true, answer: 'slow' });
    const work = setUpCloudflare(scene, run);
    const ended = failureOf(work);
    await expect.poll(() => scene.fake.requests.at(-1), { timeout: 60_000 }).toContain('/configurations');
    await run.stop();
    expect((await ended).code).toBe('cancelled');
    scene.fake.trouble();
    const again = await scene.start();
    expect(again.handlers['cloudflare.status']().words).toContain('It was interrupted.');
    await again.handlers['cloudflare.resume']({});
    expectReady(scene, again);
  });

  test('because of a limit of the plan says so', async () => {
    const scene = await openedCloudflare();
    const run = await scene.start();
    scene.fake.trouble({
      on: /^PUT .*scripts/,
      answer: { status: 403, code: 10037, message: 'You have exceeded the limit of 100 Workers.' },
    });
    const error = await failureOf(setUpCloudflare(scene, run));
    expect([error.code, error.message]).toEqual(['cloudflare_limit', expect.stringContaining('100 Workers')]);
    await run.handlers['cloudflare.disconnect']({});
    expect(scene.fake.contents()).toEqual([]);
  });

  test('leaves alone a record that somebody else creates during the setup', async () => {
    const scene = await openedCloudflare();
    const run = await scene.start();
    scene.fake.onEffect = (line) => {
      if (line.endsWith('/configurations'))
        scene.fake.addRecord({ type: 'A', name: 'porch.example.com', content: '192.0.2.1' });
      return Promise.resolve();
    };
    expect((await failureOf(setUpCloudflare(scene, run))).code).toBe('cloudflare_name_taken');
    await run.handlers['cloudflare.disconnect']({});
    expect(scene.fake.contents()).toEqual(['A porch.example.com 192.0.2.1']);
  });
});

test('only the file of secrets contains the token, also after failures', async () => {
  const scene = await openedCloudflare();
  const run = await scene.start();
  scene.fake.trouble({
    on: /^PUT .*scripts/,
    answer: { status: 400, code: 5, message: `Bad ${scene.fake.token}` },
  });
  await failureOf(setUpCloudflare(scene, run));
  expect(await run.secrets.get('cloudflare-token')).toBe(scene.fake.token);
  const shown = JSON.stringify([run.handlers['cloudflare.status'](), run.progress, run.record()]);
  expect(`${await scene.filesText()}${shown}`).not.toContain(scene.fake.token);
  expect(await scene.filesText()).toContain('Bad [token]');
});
