import { describe, expect, test, vi } from 'vitest';
import type { Status } from '../../../src-main/contract/status.ts';
import { trayMenu, trayTip, type TrayState } from '../../../src-main/desktop/tray-menu.ts';

const on: Status = {
  server: 'on',
  words: 'On, reachable at https://porch.example',
  baseUrl: 'https://porch.example',
  port: 4180,
  me: null,
  flags: { baseUrl: false, tunnel: null },
  secrets: 'keychain',
  waiting: 0,
  version: '0.1.0',
  demo: false,
  problems: [],
};

function menuOf(status: Status, state: Partial<TrayState> = {}) {
  const actions = {
    copyAddress: vi.fn(),
    turnOn: vi.fn(),
    turnOff: vi.fn(),
    open: vi.fn(),
    signIns: vi.fn(),
    heldMentions: vi.fn(),
    importNow: vi.fn(),
    selfTest: vi.fn(),
    write: vi.fn(),
    startAtLogin: vi.fn(),
    quit: vi.fn(),
  };
  const items = trayMenu(
    { status, held: '', canImport: false, importing: null, testing: false, startAtLogin: false, ...state },
    actions,
  );
  const labels = items.filter(({ type }) => type !== 'separator').map(({ label }) => label);
  const item = (label: string) => items.find((each) => each.label === label)!;
  const click = (label: string) => (item(label).click as () => void)();
  return { actions, items, labels, item, click };
}

describe("the tray's menu", () => {
  test('says the state first, which cannot be clicked', () => {
    const { items } = menuOf(on);
    expect(items[0]).toEqual({ label: on.words, enabled: false });
  });

  test('copies the address, of a light that is on', () => {
    const { click, actions } = menuOf(on);
    click('Copy https://porch.example');
    expect(actions.copyAddress).toHaveBeenCalledOnce();
    const off = menuOf({ ...on, server: 'off', words: 'Off', port: null });
    expect(off.labels.join()).not.toContain('Copy');
  });

  test('where only the tunnel fails it offers to try again, and to turn off', () => {
    const words = 'On, but not reachable: the token is wrong.';
    const { labels, click, actions } = menuOf({ ...on, server: 'trouble', words });
    expect(labels.slice(0, 3)).toEqual([words, 'Try again', 'Turn off']);
    click('Turn off');
    expect(actions.turnOff).toHaveBeenCalledOnce();
  });

  test('turns off a running server', () => {
    const { labels, click, actions } = menuOf(on);
    expect(labels).toEqual([
      on.words,
      'Copy https://porch.example',
      'Turn off',
      'Self-test',
      'Write a post',
      'Open Porchlight',
      'Start at login',
      'Quit',
    ]);
    click('Turn off');
    expect(actions.turnOff).toHaveBeenCalledOnce();
  });

  test('turns on a stopped server', () => {
    const { labels, click, actions } = menuOf({ ...on, server: 'off', words: 'Off', port: null });
    expect(labels).toContain('Turn on');
    expect(labels).not.toContain('Turn off');
    click('Turn on');
    expect(actions.turnOn).toHaveBeenCalledOnce();
  });

  test('retries after a failure', () => {
    const words = 'Port 4180 is taken by another program';
    const { labels, click, actions } = menuOf({ ...on, server: 'trouble', words, port: null });
    expect(labels.slice(0, 2)).toEqual([words, 'Try again']);
    click('Try again');
    expect(actions.turnOn).toHaveBeenCalledOnce();
  });

  test('counts the sign-ins that wait and leads to them', () => {
    expect(menuOf({ ...on, waiting: 1 }).labels).toContain('1 sign-in is waiting…');
    const { click, actions } = menuOf({ ...on, waiting: 3 });
    click('3 sign-ins are waiting…');
    expect(actions.signIns).toHaveBeenCalledOnce();
  });

  test('counts the mentions that are held and leads to them', () => {
    expect(menuOf(on).labels.join()).not.toContain('held');
    expect(menuOf(on, { held: '1' }).labels).toContain('1 mention is waiting for approval…');
    const { click, actions } = menuOf(on, { held: '99+' });
    click('99+ mentions are waiting for approval…');
    expect(actions.heldMentions).toHaveBeenCalledOnce();
  });

  test('imports if there is a token, once at a time', () => {
    expect(menuOf(on).labels).not.toContain('Import now');
    const { click, actions } = menuOf(on, { canImport: true });
    click('Import now');
    expect(actions.importNow).toHaveBeenCalledOnce();

    const importing = { state: 'running', done: 120, total: null, words: '' } as const;
    const running = menuOf(on, { canImport: true, importing });
    expect(running.labels).not.toContain('Import now');
    expect(running.item('Importing… 120 so far').enabled).toBe(false);
    const done = menuOf(on, { canImport: true, importing: { ...importing, state: 'done' } });
    expect(done.labels).toContain('Import now');
  });

  test('tests itself, once at a time', () => {
    const { click, actions } = menuOf(on);
    click('Self-test');
    expect(actions.selfTest).toHaveBeenCalledOnce();
    const { labels, item } = menuOf(on, { testing: true });
    expect(labels).not.toContain('Self-test');
    expect(item('Self-test is running…').enabled).toBe(false);
  });

  test.each([true, false])('has a box for start at login; one that is %s asks for the other', (checked) => {
    const { item, click, actions } = menuOf(on, { startAtLogin: checked });
    expect(item('Start at login')).toMatchObject({ type: 'checkbox', checked });
    click('Start at login');
    expect(actions.startAtLogin).toHaveBeenCalledExactlyOnceWith(!checked);
  });

  test('opens and quits', () => {
    const { click, actions } = menuOf(on);
    click('Open Porchlight');
    click('Quit');
    expect(actions.open).toHaveBeenCalledOnce();
    expect(actions.quit).toHaveBeenCalledOnce();
  });

  test('shows an ampersand as one, on one line of bearable length', () => {
    const [first] = menuOf({ ...on, words: `a & b\n${'c'.repeat(200)}` }).labels;
    expect(first).toMatch(/^a && b c+…$/);
    expect(first!.length).toBeLessThanOrEqual(91);
  });
});

test('the tip of the tray names the app and the state', () => {
  expect(trayTip({ ...on, words: 'On & well' })).toBe('Porchlight: On & well');
});
