import type { MenuItemConstructorOptions } from 'electron';
import { describe, expect, test, vi } from 'vitest';
import { menuTemplate, type MenuState } from '../../../src-main/desktop/menu-template.ts';

function setUp(state: Partial<MenuState>) {
  const actions = {
    show: vi.fn(),
    write: vi.fn(),
    zoom: vi.fn(),
    find: vi.fn(),
    checkSpelling: vi.fn(),
    openOutside: vi.fn(),
    about: vi.fn(),
  };
  const menu = menuTemplate({ platform: 'linux', packaged: true, spelling: false, ...state }, actions);
  const itemsOf = (name: string) => {
    const found = menu.find(({ label }) => label?.replace('&', '') === name);
    return (found?.submenu ?? []) as MenuItemConstructorOptions[];
  };
  const item = (name: string) =>
    menu
      .flatMap(({ submenu }) => submenu as MenuItemConstructorOptions[])
      .find((each) => each.label === name);
  // The actions take nothing of what Electron hands over.
  const click = (name: string) => (item(name)?.click as (() => void) | undefined)?.();
  const labels = (name: string) => itemsOf(name).map(({ label, type }) => label ?? type);
  return { menu, actions, labels, item, click };
}

const titles = (menu: MenuItemConstructorOptions[]) => menu.map(({ label }) => label?.replace('&', ''));

describe('the application menu', () => {
  test.each(['linux', 'win32'] as const)(
    'on %s begins with File and has About at the end of Help',
    (platform) => {
      const { menu, labels } = setUp({ platform });
      expect(titles(menu)).toEqual(['File', 'Edit', 'View', 'Window', 'Help']);
      expect(labels('File')).toEqual([
        'Write a post',
        'separator',
        'Settings…',
        'separator',
        'Close window',
        'Quit Porchlight',
      ]);
      expect(labels('Help').at(-1)).toBe('About Porchlight');
    },
  );

  test('on macOS begins with the app’s own menu, which has what belongs there', () => {
    const { menu, labels } = setUp({ platform: 'darwin' });
    expect(titles(menu)).toEqual(['Porchlight', 'File', 'Edit', 'View', 'Window', 'Help']);
    expect(labels('Porchlight').filter((label) => label !== 'separator')).toEqual([
      'About Porchlight',
      'Settings…',
      'Services',
      'Hide Porchlight',
      'Hide others',
      'Show all',
      'Quit Porchlight',
    ]);
    expect(labels('File')).toEqual(['Write a post', 'separator', 'Close window']);
    expect(labels('Help')).not.toContain('About Porchlight');
  });

  test('edits by the commands of the system, so that they reach the field with the focus', () => {
    const { menu } = setUp({});
    const edit = menu[1]?.submenu as MenuItemConstructorOptions[];
    expect(edit.flatMap(({ role }) => role ?? [])).toEqual([
      'undo',
      'redo',
      'cut',
      'copy',
      'paste',
      'pasteAndMatchStyle',
      'delete',
      'selectAll',
    ]);
  });

  test('does what its items say', () => {
    const { actions, click, item } = setUp({});
    click('Write a post');
    expect(actions.write).toHaveBeenCalledExactlyOnceWith();
    click('Settings…');
    click('Set-up and self-test');
    click('Report a problem…');
    expect(actions.show.mock.calls).toEqual([['#/settings'], ['#/setup'], ['#/activity']]);
    click('Zoom in');
    click('Zoom out');
    click('Actual size');
    expect(actions.zoom.mock.calls).toEqual([['in'], ['out'], ['reset']]);
    click('Find…');
    expect(actions.find).toHaveBeenCalledOnce();
    expect(item('Find…')?.accelerator).toBe('CmdOrCtrl+F');
    click('What is IndieAuth?');
    expect(actions.openOutside).toHaveBeenCalledExactlyOnceWith('https://indieauth.net/');
    click('About Porchlight');
    expect(actions.about).toHaveBeenCalledOnce();
  });

  test.each([true, false])('turns spell checking to the opposite of %s', (spelling) => {
    const { actions, click, item } = setUp({ spelling });
    expect(item('Check spelling')?.checked).toBe(spelling);
    click('Check spelling');
    expect(actions.checkSpelling).toHaveBeenCalledExactlyOnceWith(!spelling);
  });

  test('offers developer tools only to an app that runs from its source', () => {
    const hasTools = ({ menu }: ReturnType<typeof setUp>) => JSON.stringify(menu).includes('toggleDevTools');
    expect(hasTools(setUp({ packaged: true }))).toBe(false);
    expect(hasTools(setUp({ packaged: false }))).toBe(true);
  });
});
