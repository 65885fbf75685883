import {
  app,
  type BrowserWindow,
  clipboard,
  type ContextMenuParams,
  Menu,
  type MenuItemConstructorOptions,
  shell,
} from 'electron';
import { externalAddress } from './addresses.ts';
import { type MenuActions, menuTemplate } from './menu-template.ts';

/**
 * Sets the application menu, which Linux and Windows hide until Alt is pressed. Call it again when `spelling` changes.
 */
export function setApplicationMenu(
  spelling: boolean,
  actions: Omit<MenuActions, 'openOutside' | 'about'>,
): void {
  const template = menuTemplate(
    { platform: process.platform, packaged: app.isPackaged, spelling },
    {
      ...actions,
      // Errors are ignored: without a browser, nothing can open the page.
      openOutside: (address) => void shell.openExternal(address).catch(() => undefined),
      about: () => app.showAboutPanel(),
    },
  );
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}

/** Sets the content of the About panel. `icon`: the path of a picture, for Linux and Windows. */
export function setAboutPanel(icon: string): void {
  app.setAboutPanelOptions({
    applicationName: 'Porchlight',
    applicationVersion: app.getVersion(),
    copyright: 'Free software under the MIT License',
    iconPath: icon,
  });
}

/** The context menu's actions that Porchlight must provide, because the system doesn't. */
interface ContextActions {
  readonly replace: (word: string) => void;
  readonly learn: (word: string) => void;
  readonly open: (address: string) => void;
  readonly copy: (address: string) => void;
}

/** The details of a clicked element that determine the items of the context menu. */
export type Clicked = Pick<
  ContextMenuParams,
  'isEditable' | 'editFlags' | 'linkURL' | 'selectionText' | 'misspelledWord' | 'dictionarySuggestions'
>;

type Items = MenuItemConstructorOptions[];

/** The maximum number of spelling suggestions in the menu. */
const mostSuggestions = 5;

/** Returns the items of the context menu for a clicked element. Returns an empty list if no item applies. */
export function contextMenu(clicked: Clicked, actions: ContextActions): Items {
  const groups = [
    clicked.isEditable ? spellingItems(clicked, actions) : [],
    linkItems(clicked.linkURL, actions),
    clicked.isEditable ? editItems(clicked) : copyItem(clicked),
    clicked.isEditable ? [{ role: 'selectAll', label: 'Select all' } as const] : [],
  ];
  return groups
    .filter((group) => group.length > 0)
    .flatMap((group, index): Items => (index === 0 ? group : [{ type: 'separator' }, ...group]));
}

/** Adds a context menu to a window, for text fields, selected text and links. */
export function offerContextMenu(window: BrowserWindow): void {
  const contents = window.webContents;
  contents.on('context-menu', (_event, clicked) => {
    const items = contextMenu(clicked, {
      replace: (word) => contents.replaceMisspelling(word),
      learn: (word) => void contents.session.addWordToSpellCheckerDictionary(word),
      open: (address) => {
        // Errors are ignored: without a browser, nothing can open the link.
        shell.openExternal(address).catch(() => undefined);
      },
      copy: (address) => void clipboard.writeText(address),
    });
    if (items.length > 0) Menu.buildFromTemplate(items).popup({ window });
  });
}

function spellingItems(
  { misspelledWord, dictionarySuggestions }: Clicked,
  { replace, learn }: ContextActions,
): Items {
  if (misspelledWord === '') return [];
  const suggestions = dictionarySuggestions
    .slice(0, mostSuggestions)
    .map((word) => ({ label: word, click: () => replace(word) }));
  return [
    ...(suggestions.length > 0 ? suggestions : [{ label: 'No suggestions', enabled: false }]),
    { type: 'separator' },
    { label: 'Add to dictionary', click: () => learn(misspelledWord) },
  ];
}

/** Returns the menu items for a link. Returns none for a link to one of the window's own screens. */
function linkItems(link: string, { open, copy }: ContextActions): Items {
  const address = externalAddress(link);
  if (address === undefined) return [];
  return [
    { label: 'Open link in browser', click: () => open(address) },
    { label: 'Copy link address', click: () => copy(address) },
  ];
}

function editItems({ editFlags }: Clicked): Items {
  return [
    { role: 'undo', label: 'Undo', enabled: editFlags.canUndo },
    { role: 'redo', label: 'Redo', enabled: editFlags.canRedo },
    { type: 'separator' },
    { role: 'cut', label: 'Cut', enabled: editFlags.canCut },
    { role: 'copy', label: 'Copy', enabled: editFlags.canCopy },
    { role: 'paste', label: 'Paste', enabled: editFlags.canPaste },
  ];
}

function copyItem({ selectionText }: Clicked): Items {
  return selectionText.trim() === '' ? [] : [{ role: 'copy', label: 'Copy' }];
}
