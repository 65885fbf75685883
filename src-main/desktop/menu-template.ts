import type { MenuItemConstructorOptions } from 'electron';
import type { ZoomChange } from './window-state.ts';

/** The application menu's actions that Porchlight must provide, because the system doesn't. */
export interface MenuActions {
  /** Opens the window at a URL fragment such as `#/settings`. */
  readonly show: (place: string) => void;
  /** Opens the small editor window. */
  readonly write: () => void;
  readonly zoom: (change: ZoomChange) => void;
  readonly find: () => void;
  readonly checkSpelling: (on: boolean) => void;
  /** Opens a URL in the browser. */
  readonly openOutside: (address: string) => void;
  readonly about: () => void;
}

export interface MenuState {
  readonly platform: NodeJS.Platform;
  /** Whether the app is packaged. The developer tools are available only if the app runs from its source code. */
  readonly packaged: boolean;
  readonly spelling: boolean;
}

type Items = MenuItemConstructorOptions[];

const separator: MenuItemConstructorOptions = { type: 'separator' };

/** Returns the application menu of a platform as plain data, which tests can check without a screen. */
export function menuTemplate(state: MenuState, actions: MenuActions): Items {
  const isMac = state.platform === 'darwin';
  const about: MenuItemConstructorOptions = { label: 'About Porchlight', click: actions.about };
  const settings: MenuItemConstructorOptions = {
    label: 'Settings…',
    accelerator: 'CmdOrCtrl+,',
    click: () => actions.show('#/settings'),
  };
  const write: MenuItemConstructorOptions = {
    label: 'Write a post',
    accelerator: 'CmdOrCtrl+N',
    click: () => actions.write(),
  };
  const close: MenuItemConstructorOptions = {
    role: 'close',
    label: 'Close window',
    accelerator: 'CmdOrCtrl+W',
  };
  const quit: MenuItemConstructorOptions = {
    role: 'quit',
    label: 'Quit Porchlight',
    accelerator: 'CmdOrCtrl+Q',
  };
  return [
    ...(isMac ? [macMenu(about, settings, quit)] : []),
    {
      label: '&File',
      submenu: isMac ? [write, separator, close] : [write, separator, settings, separator, close, quit],
    },
    { label: '&Edit', submenu: editItems(state, actions) },
    { label: '&View', submenu: viewItems(state, actions) },
    isMac
      ? { role: 'windowMenu', label: 'Window' }
      : { label: '&Window', submenu: [{ role: 'minimize', label: 'Minimize', accelerator: 'CmdOrCtrl+M' }] },
    { role: 'help', label: '&Help', submenu: helpItems(actions, isMac ? [] : [separator, about]) },
  ];
}

/** Returns the macOS menu that has the app's name. It contains the commands for the app as a whole, such as Quit. */
function macMenu(...[about, settings, quit]: [Items[0], Items[0], Items[0]]): MenuItemConstructorOptions {
  return {
    label: 'Porchlight',
    submenu: [
      about,
      separator,
      settings,
      separator,
      { role: 'services', label: 'Services' },
      separator,
      { role: 'hide', label: 'Hide Porchlight' },
      { role: 'hideOthers', label: 'Hide others' },
      { role: 'unhide', label: 'Show all' },
      separator,
      quit,
    ],
  };
}

function editItems({ spelling }: MenuState, { find, checkSpelling }: MenuActions): Items {
  return [
    { role: 'undo', label: 'Undo' },
    { role: 'redo', label: 'Redo' },
    separator,
    { role: 'cut', label: 'Cut' },
    { role: 'copy', label: 'Copy' },
    { role: 'paste', label: 'Paste' },
    { role: 'pasteAndMatchStyle', label: 'Paste as plain text' },
    { role: 'delete', label: 'Delete' },
    separator,
    { role: 'selectAll', label: 'Select all' },
    separator,
    { label: 'Find…', accelerator: 'CmdOrCtrl+F', click: find },
    separator,
    {
      label: 'Check spelling',
      type: 'checkbox',
      checked: spelling,
      click: () => checkSpelling(!spelling),
    },
  ];
}

function viewItems({ packaged }: MenuState, { zoom }: MenuActions): Items {
  return [
    { label: 'Zoom in', accelerator: 'CmdOrCtrl+Plus', click: () => zoom('in') },
    { label: 'Zoom out', accelerator: 'CmdOrCtrl+-', click: () => zoom('out') },
    { label: 'Actual size', accelerator: 'CmdOrCtrl+0', click: () => zoom('reset') },
    separator,
    { role: 'togglefullscreen', label: 'Full screen' },
    ...(packaged ? [] : [separator, { role: 'reload' } as const, { role: 'toggleDevTools' } as const]),
  ];
}

function helpItems({ show, openOutside }: MenuActions, last: Items): Items {
  return [
    { label: 'Set-up and self-test', click: () => show('#/setup') },
    { label: 'What is IndieAuth?', click: () => openOutside('https://indieauth.net/') },
    separator,
    // This item opens the activity screen, where the owner can create a support file for a bug report.
    { label: 'Report a problem…', click: () => show('#/activity') },
    ...last,
  ];
}
