import fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { mailboxKeysName } from '../../../src-main/platform/secrets.ts';
import { patience } from '../../support/patience.ts';
import { mailboxPartScene } from '../../support/mailbox-part-scene.ts';

/** A mailbox that was set up, with this many mentions in it. */
async function withMentions(count: number) {
  const scene = await mailboxPartScene();
  const { mailbox } = { mailbox: await scene.start() };
  await mailbox.edgeKeys();
  const keys = await scene.keys();
  if (!keys) throw new Error('There are no keys.');
  for (let one = 0; one < count; one += 1) await scene.keep(keys);
  return { ...scene, mailbox };
}

test('turning it off fetches its items, and then removes it', async () => {
  const { mailbox, world, effects, keys } = await withMentions(3);
  expect(await mailbox.handlers['mailbox.turnOff']({})).toMatchObject({ state: 'off' });
  expect(effects).toEqual(['mailbox.arrived', 'remove', 'mailbox.off']);
  expect(world.items).toEqual([]);
  expect(await keys()).toBeNull();
});

test.each(['{"damaged', null])('it is turned off although its keys are %j', async (text) => {
  const scene = await withMentions(1);
  if (text === null) await scene.secrets.delete(mailboxKeysName);
  else await scene.secrets.set(mailboxKeysName, text);
  const mailbox = await scene.start();
  await mailbox.start();
  expect(mailbox.handlers['mailbox.status']()).toMatchObject({ state: 'trouble', remedy: 'update' });
  expect(await mailbox.handlers['mailbox.turnOff']({})).toMatchObject({ state: 'off' });
  expect(scene.effects).toEqual(['remove', 'mailbox.off']);
  expect(await scene.keys()).toBeNull();
});

test('damaged keys are replaced by an update, and the loss of items sealed for them is reported', async () => {
  const scene = await withMentions(1);
  await scene.secrets.set(mailboxKeysName, '{"damaged');
  const mailbox = await scene.start();
  await mailbox.start();
  expect(await mailbox.handlers['mailbox.turnOn']({})).toMatchObject({
    state: 'trouble',
    words: expect.stringContaining('can’t be opened') as string,
  });
  expect(scene.world.items).toHaveLength(1);
});

test('it accepts mentions of the hosts where posts once were, because this server does', async () => {
  const scene = await withMentions(0);
  scene.world.homeOrigins = ['https://old.example', 'https://garden.example:8443'];
  const mailbox = await scene.start();
  await mailbox.start();
  expect(scene.world.hosts).toEqual(['porch.example.com', 'old.example', 'garden.example:8443']);
  scene.world.homeOrigins = [...scene.world.homeOrigins, 'https://older.example'];
  mailbox.siteMoved();
  await expect.poll(() => scene.world.hosts, patience).toContain('older.example');
});

test('a keychain that is locked keeps it on', async () => {
  const scene = await withMentions(1);
  const mailbox = await scene.start({
    ...scene.secrets,
    get: () => Promise.reject(new Error('It is locked.')),
  });
  await expect(mailbox.handlers['mailbox.turnOff']({})).rejects.toThrow('It is locked.');
  expect([scene.effects, scene.world.items.length]).toEqual([[], 1]);
});

describe('while calls pass the mailbox by', () => {
  const passed = { status: 404, headers: { 'porchlight-proof': '1.mac' } };

  test('a mailbox over its daily limit is not turned off, because its items would be lost', async () => {
    const { mailbox, world, effects } = await withMentions(2);
    world.instead = () => passed;
    await expect(mailbox.handlers['mailbox.turnOff']({})).rejects.toMatchObject({
      code: 'mailbox_not_empty',
      message: expect.stringContaining('00:00 UTC') as string,
    });
    expect([effects, world.items.length]).toEqual([[], 2]);
  });

  test('a restart still knows that it answered today, so that it is its limit', async () => {
    const { mailbox, world, start } = await withMentions(0);
    await mailbox.start();
    await mailbox.stop();
    world.instead = () => passed;
    const again = await start();
    await again.start();
    expect(again.handlers['mailbox.status']()).toMatchObject({
      state: 'trouble',
      remedy: 'retry',
      words: expect.stringContaining('have probably reached the mailbox’s daily limit') as string,
    });
  });

  test('because its route was removed, it is turned off', async () => {
    const { mailbox, world, effects } = await withMentions(2);
    world.instead = () => passed;
    world.isRouted = false;
    expect(await mailbox.handlers['mailbox.turnOff']({})).toMatchObject({ state: 'off' });
    expect(effects).toEqual(['remove', 'mailbox.off']);
  });
});

describe('turning it off', () => {
  test('turning the mailbox off waits until there is room here for its items', async () => {
    const { mailbox, world, effects } = await withMentions(2);
    world.receive = () => Promise.resolve('full');
    await expect(mailbox.handlers['mailbox.turnOff']({})).rejects.toMatchObject({
      code: 'mailbox_not_empty',
      message: expect.stringContaining('keeps 2 things') as string,
    });
    expect([effects, world.items.length]).toEqual([[], 2]);
  });

  test('is refused while it can’t be reached, because its items would be lost', async () => {
    const { mailbox, world, effects } = await withMentions(2);
    world.instead = () => ({ status: 530, text: 'error code: 1033' });
    await expect(mailbox.handlers['mailbox.turnOff']({})).rejects.toMatchObject({
      code: 'mailbox_not_empty',
    });
    expect([effects, world.items.length]).toEqual([[], 2]);
  });
});

describe.each(['other_version', 'forged'])('a mailbox that refuses calls (%s)', (error) => {
  test('isn’t turned off before it is updated, because its items would be lost', async () => {
    const { mailbox, world, effects } = await withMentions(2);
    world.instead = () => ({ status: 409, text: JSON.stringify({ error }) });
    await expect(mailbox.handlers['mailbox.turnOff']({})).rejects.toThrow('Update the mailbox.');
    expect([effects, world.items.length]).toEqual([[], 2]);
    world.upload = () => Promise.resolve(void (world.instead = () => undefined));
    await mailbox.handlers['mailbox.turnOn']({});
    expect(await mailbox.handlers['mailbox.turnOff']({})).toMatchObject({ state: 'off' });
    expect(effects).toEqual(['upload', 'mailbox.arrived', 'mailbox.on', 'remove', 'mailbox.off']);
  });
});

describe('while this server has another address than the mailbox', () => {
  const elsewhere = 'https://some-words.trycloudflare.com';

  test('nothing is fetched, because its mentions are for the other address', async () => {
    const { mailbox, world, calls, effects } = await withMentions(2);
    world.base = elsewhere;
    await mailbox.start();
    expect(calls).toContain('away');
    expect(calls).not.toContain('awake');
    expect(calls).not.toContain('items');
    expect(mailbox.handlers['mailbox.status']()).toMatchObject({
      state: 'trouble',
      words: expect.stringContaining('porch.example.com') as string,
    });
    await expect(mailbox.handlers['mailbox.turnOff']({})).rejects.toMatchObject({
      code: 'mailbox_not_empty',
    });
    expect([effects, world.items.length]).toEqual([[], 2]);
    world.base = 'https://porch.example.com';
    mailbox.follow();
    await expect.poll(() => [effects, world.items.length], patience).toEqual([['mailbox.arrived'], 0]);
    expect(calls).toContain('awake');
  });

  test('no copies are made, and afterwards all of them are compared', async () => {
    const { mailbox, world, calls } = await withMentions(0);
    world.app = fastify();
    world.app.get('*', () => `A page of ${world.base}`);
    world.base = elsewhere;
    await mailbox.start();
    mailbox.wake();
    await mailbox.handlers['mailbox.retry']();
    expect(calls).not.toContain('copies');
    expect(calls).not.toContain('store');
    for (const turn of [1, 2]) {
      world.base = 'https://porch.example.com';
      mailbox.follow();
      mailbox.wake();
      await expect.poll(() => mailbox.handlers['mailbox.status']().toCopy, patience).toBe(0);
      expect(calls.filter((call) => call === 'store').length).toBeGreaterThanOrEqual(turn);
      world.base = elsewhere;
      mailbox.follow();
      expect(mailbox.handlers['mailbox.status']().toCopy).toBeGreaterThan(0);
    }
  });
});

describe('a change of keys', () => {
  test('that fails at Cloudflare keeps the old ones, so that the site stays up', async () => {
    const { mailbox, world, keys } = await withMentions(0);
    const before = await keys();
    world.upload = () => Promise.reject(new PorchlightError('cloudflare_failed', 'Cloudflare is down.', 502));
    await expect(mailbox.handlers['mailbox.rotateKeys']({})).rejects.toThrow('Cloudflare is down.');
    const now = await keys();
    expect(now).toEqual({ ...before, sealing: [before?.sealing[0], expect.anything()] });
    expect(mailbox.proofKeys()[0]).toBe(before?.proofKey);
  });

  test('that fails after the upload still opens what the mailbox seals for the new one', async () => {
    const scene = await withMentions(0);
    scene.world.upload = async () => {
      const uploaded = await scene.keys();
      if (uploaded) await scene.keep(uploaded);
      throw new PorchlightError('cloudflare_failed', 'The answer was lost.', 502);
    };
    await expect(scene.mailbox.handlers['mailbox.rotateKeys']({})).rejects.toThrow('The answer was lost.');
    expect([scene.effects, scene.world.items]).toEqual([['upload', 'mailbox.arrived'], []]);
  });

  test('that is refused before it begins changes none', async () => {
    const { mailbox, world, keys } = await withMentions(0);
    const before = await keys();
    world.beforeUpload = () =>
      Promise.reject(new PorchlightError('cloudflare_token', 'The token is not valid.', 403));
    await expect(mailbox.handlers['mailbox.rotateKeys']({})).rejects.toThrow('The token is not valid.');
    expect(await keys()).toEqual(before);
  });

  test('proves answers with both keys, until Cloudflare uses the new one everywhere', async () => {
    const { mailbox, keys } = await withMentions(0);
    const before = await keys();
    await mailbox.handlers['mailbox.rotateKeys']({});
    const now = await keys();
    expect(now?.proofKey).not.toBe(before?.proofKey);
    expect(mailbox.proofKeys()).toEqual([now?.proofKey, before?.proofKey]);
  });

  test('that fails at Cloudflare proves answers with both keys, because the upload may have succeeded', async () => {
    const { mailbox, world, keys } = await withMentions(0);
    const before = await keys();
    let uploaded: string | undefined;
    world.upload = async () => {
      uploaded = (await keys())?.proofKey;
      throw new PorchlightError('cloudflare_failed', 'The answer was lost.', 502);
    };
    await expect(mailbox.handlers['mailbox.rotateKeys']({})).rejects.toThrow('The answer was lost.');
    expect(mailbox.proofKeys()).toEqual([before?.proofKey, uploaded]);
    expect(uploaded).not.toBe(before?.proofKey);
  });

  test('opens items that were sealed for the old one', async () => {
    const scene = await withMentions(0);
    const before = await scene.keys();
    await scene.mailbox.handlers['mailbox.rotateKeys']({});
    if (before) await scene.keep(before);
    await scene.mailbox.fetchKept();
    expect([scene.effects.includes('mailbox.arrived'), scene.world.items]).toEqual([true, []]);
  });
});

describe('its trouble doesn’t stop its remedy', () => {
  const refusing = (error: string, except: string) => (call: string) =>
    call === except ? undefined : { status: 409, text: JSON.stringify({ error }) };

  test('it is taken over from another computer', async () => {
    const { mailbox, world } = await withMentions(1);
    world.instead = (call) => {
      if (call === 'claim') world.instead = () => undefined;
      return refusing('other_server', 'claim')(call);
    };
    await mailbox.start();
    expect(mailbox.handlers['mailbox.status']()).toMatchObject({ remedy: 'takeOver' });
    expect(await mailbox.handlers['mailbox.turnOn']({ takeOver: true })).not.toMatchObject({
      state: 'trouble',
    });
    expect(world.items).toEqual([]);
  });

  test.each(['other_version', 'forged'])('it is updated although it refuses calls (%s)', async (error) => {
    const { mailbox, world } = await withMentions(1);
    world.instead = refusing(error, '');
    world.upload = () => Promise.resolve(void (world.instead = () => undefined));
    await mailbox.start();
    expect(mailbox.handlers['mailbox.status']()).toMatchObject({ remedy: 'update' });
    expect(await mailbox.handlers['mailbox.turnOn']({})).not.toMatchObject({ state: 'trouble' });
    expect(world.items).toEqual([]);
  });

  test('the items of a mailbox of another version are fetched, and the owner is asked to update it', async () => {
    const { mailbox, world } = await withMentions(1);
    world.version += 1;
    world.upload = () => Promise.resolve(void (world.version -= 1));
    await mailbox.start();
    expect(world.items).toEqual([]);
    expect(mailbox.handlers['mailbox.status']()).toMatchObject({ state: 'trouble', remedy: 'update' });
    expect(mailbox.problem()?.message).toContain('another version');
    expect(await mailbox.handlers['mailbox.turnOn']({})).not.toMatchObject({ state: 'trouble' });
  });

  test('its keys are replaced although it doesn’t know the old ones', async () => {
    const { mailbox, world } = await withMentions(0);
    world.instead = refusing('forged', '');
    world.upload = () => Promise.resolve(void (world.instead = () => undefined));
    expect(await mailbox.handlers['mailbox.rotateKeys']({})).not.toMatchObject({ state: 'trouble' });
  });

  test('it is turned off although somebody has removed it', async () => {
    const { mailbox, world, effects } = await withMentions(0);
    world.instead = () => ({ status: 404, text: 'nothing here' });
    expect(await mailbox.handlers['mailbox.turnOff']({})).toMatchObject({ state: 'off' });
    expect(effects).toEqual(['remove', 'mailbox.off']);
  });
});
