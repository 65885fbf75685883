import type { MessageBoxOptions, Session } from 'electron';
import { describe, expect, test, vi } from 'vitest';
import { spellLanguages, startSpelling } from '../../../src-main/desktop/spelling.ts';

const preferred = vi.hoisted(() => vi.fn(() => ['en-GB', 'fr-CA']));
vi.mock('electron', () => ({ app: { getPreferredSystemLanguages: preferred } }));

const available = ['de', 'en-AU', 'en-GB', 'en-US', 'fr', 'pt-BR'];

function setUp(isEnabled: boolean | undefined, platform: NodeJS.Platform, answer = 0) {
  const session = {
    availableSpellCheckerLanguages: available,
    setSpellCheckerEnabled: vi.fn(),
    setSpellCheckerLanguages: vi.fn(),
    setSpellCheckerDictionaryDownloadURL: vi.fn(),
  };
  const ask = vi.fn<(box: MessageBoxOptions) => Promise<number>>(() => Promise.resolve(answer));
  const chosen = vi.fn();
  const spelling = startSpelling({
    session: session as unknown as Session,
    isEnabled,
    ask,
    chosen,
    platform,
  });
  return { session, ask, chosen, spelling };
}

describe('spell checking', () => {
  test.each(['linux', 'win32'] as const)(
    'on %s is off until the owner agrees to a download',
    async (system) => {
      const { session, ask, chosen, spelling } = setUp(undefined, system);
      expect(spelling.isOn()).toBe(false);
      expect(session.setSpellCheckerEnabled.mock.calls).toEqual([[false]]);
      expect(session.setSpellCheckerLanguages.mock.calls).toEqual([[[]]]);
      await spelling.turn(true);
      expect(ask.mock.lastCall?.[0].detail).toContain(
        'from Google what it needs for British English and French',
      );
      expect(session.setSpellCheckerEnabled).toHaveBeenLastCalledWith(true);
      expect(session.setSpellCheckerLanguages).toHaveBeenLastCalledWith(['en-GB', 'fr']);
      expect(chosen).toHaveBeenCalledExactlyOnceWith(true);
    },
  );

  test('stays off if the owner cancels', async () => {
    const { session, chosen, spelling } = setUp(undefined, 'linux', 1);
    await spelling.turn(true);
    expect(spelling.isOn()).toBe(false);
    expect(session.setSpellCheckerEnabled).not.toHaveBeenCalledWith(true);
    expect(chosen).not.toHaveBeenCalled();
  });

  test('is on again after a restart, and is turned off without a question', async () => {
    const { ask, chosen, spelling } = setUp(true, 'linux');
    expect(spelling.isOn()).toBe(true);
    await spelling.turn(false);
    expect(ask).not.toHaveBeenCalled();
    expect(chosen).toHaveBeenCalledExactlyOnceWith(false);
  });

  test('on macOS is on from the start, by the system’s own checker', () => {
    const { session, spelling } = setUp(undefined, 'darwin');
    expect(spelling.isOn()).toBe(true);
    expect(session.setSpellCheckerLanguages).not.toHaveBeenCalled();
    expect(setUp(false, 'darwin').spelling.isOn()).toBe(false);
  });

  test('says so if there is no dictionary for the languages of the system', async () => {
    preferred.mockReturnValueOnce(['tlh']);
    const { ask, spelling } = setUp(undefined, 'linux');
    await spelling.turn(true);
    expect(ask.mock.lastCall?.[0].message).toBe('There is no dictionary for your language');
    expect(spelling.isOn()).toBe(false);
  });

  test.each([
    [
      ['en-GB', 'en-US'],
      ['en-GB', 'en-US'],
    ],
    [['en'], ['en-US']],
    [['en-IE', 'en'], ['en-US']],
    [
      ['pt', 'de-AT'],
      ['pt-BR', 'de'],
    ],
    [['C', 'x'], []],
  ])('takes for %j the dictionaries %j', (languages, expected) => {
    expect(spellLanguages(languages, available)).toEqual(expected);
  });
});
