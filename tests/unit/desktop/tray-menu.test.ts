import { describe, expect, test, vi } from 'vitest';
import type { Status } from '../../../src-main/contract/status.ts';
import { trayMenu, trayTip } from '../../../src-main/desktop/tray-menu.ts';

const on: Status = {
  server: 'on',
  words: 'On, reachable at https://porch.example',
  baseUrl: 'https://porch.example',
  port: 4180,
  me: null,
  secrets: 'keychain',
  waiting: 0,
  version: '0.1.0',
  problems: [],
};

function menuOf(status: Status) {
  const actions = { turnOn: vi.fn(), turnOff: vi.fn(), open: vi.fn(), signIns: vi.fn(), quit: vi.fn() };
  const items = trayMenu(status, actions);
  const labels = items.filter(({ type }) => type !== 'separator').map(({ label }) => label);
  const click = (label: string) => {
    const item = items.find((each) => each.label === label);
    (item?.click as (() => void) | undefined)?.();
  };
  return { actions, items, labels, click };
}

describe("the tray's menu", () => {
  test('says the state first, which cannot be clicked', () => {
    const { items } = menuOf(on);
    expect(items[0]).toEqual({ label: on.words, enabled: false });
  });

  test('turns off what is on', () => {
    const { labels, click, actions } = menuOf(on);
    expect(labels).toEqual([on.words, 'Turn off', 'Open Porchlight', 'Quit']);
    click('Turn off');
    expect(actions.turnOff).toHaveBeenCalledOnce();
  });

  test('turns on what is off', () => {
    const { labels, click, actions } = menuOf({ ...on, server: 'off', words: 'Off', port: null });
    expect(labels).toContain('Turn on');
    expect(labels).not.toContain('Turn off');
    click('Turn on');
    expect(actions.turnOn).toHaveBeenCalledOnce();
  });

  test('tries again what is in trouble', () => {
    const words = 'Port 4180 is taken by another program';
    const { labels, click, actions } = menuOf({ ...on, server: 'trouble', words, port: null });
    expect(labels).toEqual([words, 'Try again', 'Open Porchlight', 'Quit']);
    click('Try again');
    expect(actions.turnOn).toHaveBeenCalledOnce();
  });

  test('counts the sign-ins that wait and leads to them', () => {
    expect(menuOf({ ...on, waiting: 1 }).labels).toContain('1 sign-in is waiting…');
    const { click, actions } = menuOf({ ...on, waiting: 3 });
    click('3 sign-ins are waiting…');
    expect(actions.signIns).toHaveBeenCalledOnce();
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
