import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Check } from 'typebox/value';
import { contract } from '../../../src-main/contract/contract.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { fakeCloudflared, isAlive, tunnelScene, type TunnelScene } from '../../support/tunnel-scene.ts';

const token = 'eyJhIjoiYWNjb3VudCIsInQiOiJ0dW5uZWwifQ==';
// A busy machine is slow, not wrong.
const patience = { timeout: 90_000 };

let scene: TunnelScene;
let porchlight: Porchlight | undefined;

beforeEach(async () => {
  scene = await tunnelScene();
});

afterEach(async () => {
  await porchlight?.remove();
  porchlight = undefined;
  vi.unstubAllEnvs();
  await scene.close();
});

/** A whole service whose cloudflared acts like that. */
async function start(acts: string, options: Parameters<typeof startPorchlight>[0] = {}): Promise<Porchlight> {
  for (const [name, value] of Object.entries(scene.env(acts))) vi.stubEnv(name, value);
  vi.stubEnv('PORCHLIGHT_CLOUDFLARED', fakeCloudflared);
  porchlight = await startPorchlight(options);
  return porchlight;
}

const words = async (at: Porchlight) => (await at.call('status.get', {})).words;
const stateOf = async (at: Porchlight) => (await at.call('tunnel.status', {})).state;
const named = { tunnel: { mode: 'named', hostname: 'porch.example.com' } } as const;

describe.skipIf(process.platform === 'win32')('the tunnel of a whole service', { timeout: 270_000 }, () => {
  test('takes effect with the settings, names the public address, and stays while the server is off', async () => {
    const at = await start('connect');
    expect(await at.call('secrets.setTunnelToken', { token })).toEqual({ stored: true });
    expect(await at.call('secrets.hasTunnelToken', {})).toEqual({ stored: true });
    await at.call('settings.update', named);
    await expect.poll(() => words(at), patience).toBe('On, reachable at https://porch.example.com');
    expect((await at.call('status.get', {})).baseUrl).toBe('https://porch.example.com');
    const answer = await fetch(`${at.base}/.well-known/oauth-authorization-server`);
    expect(await answer.json()).toMatchObject({ issuer: 'https://porch.example.com/' });

    await at.call('server.turnOff', {});
    expect(scene.starts().map(({ pid }) => isAlive(pid))).toEqual([true]);
    expect(await at.call('status.get', {})).toMatchObject({
      server: 'off',
      words: 'Off',
      baseUrl: 'https://porch.example.com',
    });
    await at.call('server.turnOn', {});
    expect(scene.starts().map(({ pid }) => isAlive(pid))).toEqual([true]);
    expect(await stateOf(at)).toBe('connected');

    await at.call('settings.update', { tunnel: { hostname: 'other.example.com' } });
    await expect.poll(() => words(at), patience).toBe('On, reachable at https://other.example.com');
    await at.call('settings.update', { tunnel: { mode: 'off' } });
    await expect.poll(() => stateOf(at), patience).toBe('off');
    expect(await words(at)).toContain('on this computer only');
    const statuses = at.events.filter(({ name }) => name === 'status.changed').map(({ data }) => data);
    expect(statuses).toContainEqual(expect.objectContaining({ baseUrl: 'https://other.example.com' }));
    const tunnels = at.events.filter(({ name }) => name === 'tunnel.changed');
    for (const { data } of tunnels) expect(Check(contract['tunnel.status'].result, data)).toBe(true);
  });

  test('a stopped tunnel stays stopped when other settings change', async () => {
    const at = await start('connect');
    await at.call('secrets.setTunnelToken', { token });
    await at.call('settings.update', named);
    await expect.poll(() => stateOf(at), patience).toBe('connected');
    await at.call('tunnel.stop', {});
    expect(await words(at)).toBe('On, but the tunnel is stopped');
    await at.call('settings.update', { profile: { name: 'Robin' } });
    await at.call('settings.update', named);
    expect(await stateOf(at)).toBe('off');
    expect(scene.starts()).toHaveLength(1);
  });

  test('a refused token is reported as a problem, and a new token fixes it', async () => {
    const at = await start('badToken,connect');
    await at.call('secrets.setTunnelToken', { token });
    await at.call('settings.update', named);
    await expect.poll(() => stateOf(at), patience).toBe('failed');
    const status = await at.call('status.get', {});
    expect(status).toMatchObject({ server: 'trouble', port: expect.any(Number) as number });
    expect(status.words).toContain('On, but not reachable: Cloudflare cannot read the tunnel token.');
    expect(await at.call('tunnel.status', {})).toMatchObject({ reason: 'bad_token' });
    await at.call('secrets.setTunnelToken', { token: `${token}Mg` });
    await expect.poll(() => stateOf(at), patience).toBe('connected');
    expect(await at.call('status.get', {})).toMatchObject({ server: 'on' });
  });

  test('a tunnel that Cloudflare no longer knows is a problem at once, although cloudflared still runs', async () => {
    const at = await start('deleted');
    await at.call('secrets.setTunnelToken', { token });
    await at.call('settings.update', named);
    await expect.poll(() => stateOf(at), patience).toBe('failed');
    expect(await words(at)).toContain('On, but not reachable: Cloudflare no longer knows this tunnel.');
    const told = async () => (await at.call('activity.list', {})).items.map(({ kind }) => kind);
    await expect.poll(told, patience).toContain('tunnel.failed');
    await expect.poll(() => scene.starts().filter(({ pid }) => isAlive(pid)), patience).toEqual([]);
  });

  test('starts again with the owner’s options, and with no others', async () => {
    const at = await start('connect', { tunnel: 'quick' });
    await expect.poll(() => stateOf(at), patience).toBe('connected');
    await at.call('settings.update', { cloudflared: { options: ['--protocol=http2'] } });
    await expect.poll(() => scene.starts().at(-1)?.args, patience).toContain('--protocol=http2');
    for (const option of ['--url=http://192.0.2.7/', '--logfile=/tmp/x', '--protocol=http2 --edge=x'])
      await expect(at.call('settings.update', { cloudflared: { options: [option] } })).rejects.toMatchObject({
        code: 'invalid_request',
      });
    await expect(
      at.call('settings.update', { cloudflared: { certificate: '/nowhere/company.pem' } }),
    ).rejects.toThrow('There is no file “/nowhere/company.pem”');
    expect((await at.call('settings.get', {})).cloudflared).toEqual({
      options: ['--protocol=http2'],
      certificate: '',
    });
  });

  test('a missing token is a problem too', async () => {
    const at = await start('connect');
    await at.call('settings.update', named);
    await expect.poll(() => stateOf(at), patience).toBe('failed');
    expect(await at.call('tunnel.status', {})).toMatchObject({ reason: 'no_token' });
    expect(scene.starts()).toEqual([]);
  });

  test('a tunnel that reconnects is reported so, and the server keeps answering', async () => {
    const at = await start('unreachable', { tunnel: 'quick' });
    await expect.poll(() => words(at), patience).toBe('On, but the tunnel is reconnecting');
    expect(await at.call('tunnel.status', {})).toMatchObject({ reason: 'no_network' });
    expect((await fetch(at.base)).status).toBe(200);
    at.service.wake();
    await expect.poll(() => scene.starts().length, patience).toBeGreaterThan(1);
  });

  test('a quick tunnel changes the home page of an owner without a website, and of nobody else', async () => {
    vi.stubEnv('FAKE_CLOUDFLARED_NAME', 'cold-tea-at-dawn');
    const at = await start('connect', { tunnel: 'quick', me: 'https://warm-light.trycloudflare.com/' });
    const meOf = async () => (await at.call('status.get', {})).me;
    await expect.poll(meOf, patience).toBe('https://cold-tea-at-dawn.trycloudflare.com/');
    const { profile } = await at.call('settings.get', {});
    expect(profile.me).toBe('https://cold-tea-at-dawn.trycloudflare.com/');
    await at.call('settings.update', { profile: { me: 'https://robin.example/' } });
    await at.call('tunnel.stop', {});
    await at.call('tunnel.start', {});
    await expect.poll(() => stateOf(at), patience).toBe('connected');
    expect(await meOf()).toBe('https://robin.example/');
  });

  test('follows the settings while the server is off: the old one ends, the new one starts with the server', async () => {
    const at = await start('connect', {});
    await at.call('secrets.setTunnelToken', { token });
    await at.call('settings.update', named);
    await expect.poll(() => stateOf(at), patience).toBe('connected');
    await at.call('server.turnOff', {});
    await at.call('settings.update', { tunnel: { hostname: 'other.example.com' } });
    await expect.poll(() => stateOf(at), patience).toBe('off');
    expect(scene.starts().filter(({ pid }) => isAlive(pid))).toEqual([]);
    await at.call('server.turnOn', {});
    await expect.poll(() => words(at), patience).toBe('On, reachable at https://other.example.com');
  });

  test('is retried when the server is turned on although it is already on', async () => {
    const at = await start('connect', { tunnel: 'quick' });
    await expect.poll(() => scene.starts().length, patience).toBe(1);
    await at.call('server.turnOn', {});
    await expect.poll(() => scene.starts().length, patience).toBe(2);
  });

  test('cannot be started while no tunnel is chosen, or while Porchlight is off', async () => {
    const at = await start('connect');
    await expect(at.call('tunnel.start', {})).rejects.toMatchObject({ code: 'tunnel_off' });
    await at.call('server.turnOff', {});
    await at.call('settings.update', { tunnel: { mode: 'quick' } });
    await expect(at.call('tunnel.start', {})).rejects.toMatchObject({ code: 'server_off' });
    // Its turn comes after whatever the change of the settings has started.
    await at.call('tunnel.stop', {});
    const states = at.events.filter(({ name }) => name === 'tunnel.changed').map(({ data }) => data);
    expect(states).not.toContainEqual(expect.objectContaining({ state: 'starting' }));
    expect(scene.starts()).toEqual([]);
  });
});

describe('the public address in the settings', () => {
  test("is the owner's own if no tunnel is chosen", async () => {
    const at = await start('connect');
    await at.call('settings.update', { tunnel: { publicUrl: 'https://Porch.Example.com/' } });
    expect(await at.call('status.get', {})).toMatchObject({
      baseUrl: 'https://porch.example.com',
      words: 'On, reachable at https://porch.example.com',
    });
  });

  test.each([
    ['hostname', 'localhost'],
    ['hostname', '127.0.0.1'],
    ['hostname', '-porch.example.com'],
    ['hostname', 'porch..example.com'],
    ['publicUrl', 'http://porch.example.com'],
    ['publicUrl', 'https://porch.example.com/path'],
    ['publicUrl', 'https://me:secret@porch.example.com/'],
    ['publicUrl', 'ftp://porch.example.com'],
    ['publicUrl', 'porch'],
  ])('is refused if it cannot be a public address: %s %s', async (name, value) => {
    const at = await start('connect');
    await expect(at.call('settings.update', { tunnel: { [name]: value } })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    expect((await at.call('settings.get', {})).tunnel).toEqual({ mode: 'off', hostname: '', publicUrl: '' });
  });

  test('the public address may be plain http only on this computer itself', async () => {
    const at = await start('connect');
    await at.call('settings.update', { tunnel: { publicUrl: 'http://localhost:8080' } });
    expect(await at.call('status.get', {})).toMatchObject({ baseUrl: 'http://localhost:8080' });
  });
});
