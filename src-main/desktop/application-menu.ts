import { Menu } from 'electron';

/**
 * macOS takes the shortcuts of copy, paste and quit from the menu. Elsewhere they work without it, but for one: where
 * there is no tray, the menu (hidden until Alt) holds the way to quit.
 */
export function setApplicationMenu(hasTray: boolean): void {
  Menu.setApplicationMenu(
    process.platform === 'darwin'
      ? Menu.buildFromTemplate([{ role: 'appMenu' }, { role: 'editMenu' }, { role: 'windowMenu' }])
      : hasTray
        ? null
        : Menu.buildFromTemplate([
            { label: 'Porchlight', submenu: [{ role: 'quit', accelerator: 'Ctrl+Q' }] },
          ]),
  );
}
