import { describe, expect, test, vi } from 'vitest';
import { contextMenu, type Clicked } from '../../../src-main/desktop/menus.ts';

vi.mock('electron', () => ({ clipboard: {}, Menu: {}, shell: {} }));

const editFlags = {
  canUndo: true,
  canRedo: false,
  canCut: true,
  canCopy: true,
  canPaste: true,
  canDelete: true,
  canSelectAll: true,
  canEditRichly: false,
};
const nothing: Clicked = {
  isEditable: false,
  editFlags,
  linkURL: '',
  selectionText: '',
  misspelledWord: '',
  dictionarySuggestions: [],
};

function setUp(clicked: Partial<Clicked>) {
  const actions = { replace: vi.fn(), learn: vi.fn(), open: vi.fn(), copy: vi.fn() };
  const menu = contextMenu({ ...nothing, ...clicked }, actions);
  // The actions take nothing of what Electron hands over.
  const click = (name: string) => (menu.find(({ label }) => label === name)?.click as () => void)();
  return { actions, menu, labels: menu.map(({ label, type }) => label ?? type), click };
}

describe('the context menu', () => {
  test('of a text field has the commands of the clipboard, as far as they apply', () => {
    const { menu, labels } = setUp({ isEditable: true });
    expect(labels).toEqual(['Undo', 'Redo', 'separator', 'Cut', 'Copy', 'Paste', 'separator', 'Select all']);
    expect(menu[1]).toMatchObject({ role: 'redo', enabled: false });
    expect(menu[3]).toMatchObject({ role: 'cut', enabled: true });
  });

  test('of a misspelled word begins with suggestions, five at most', () => {
    const dictionarySuggestions = ['a', 'b', 'c', 'd', 'e', 'f'];
    const { actions, labels, click } = setUp({
      isEditable: true,
      misspelledWord: 'aa',
      dictionarySuggestions,
    });
    expect(labels.slice(0, 8)).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
      'separator',
      'Add to dictionary',
      'separator',
    ]);
    click('b');
    expect(actions.replace).toHaveBeenCalledExactlyOnceWith('b');
    click('Add to dictionary');
    expect(actions.learn).toHaveBeenCalledExactlyOnceWith('aa');
    expect(setUp({ isEditable: true, misspelledWord: 'aa' }).labels[0]).toBe('No suggestions');
  });

  test('of a link opens it in the browser or copies it; a link inside the window has none', () => {
    const { actions, labels, click } = setUp({ linkURL: 'https://example.com/' });
    expect(labels).toEqual(['Open link in browser', 'Copy link address']);
    click('Open link in browser');
    click('Copy link address');
    expect(actions.open).toHaveBeenCalledExactlyOnceWith('https://example.com/');
    expect(actions.copy).toHaveBeenCalledExactlyOnceWith('https://example.com/');
    for (const linkURL of ['app://porchlight/index.html#/posts', 'file:///etc/passwd', 'javascript:1'])
      expect(setUp({ linkURL }).menu).toEqual([]);
  });

  test('of selected text copies it, and there is none elsewhere', () => {
    expect(setUp({ selectionText: 'words' }).labels).toEqual(['Copy']);
    expect(setUp({ selectionText: ' ' }).menu).toEqual([]);
  });
});
