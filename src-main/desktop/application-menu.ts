import { Menu, type MenuItemConstructorOptions } from 'electron';

/**
 * macOS takes the shortcuts of copy, paste and quit from the menu. Elsewhere they work without it, but for one: a Linux
 * desktop may have no tray, or lose it, and the menu (hidden until Alt) holds the way to quit.
 */
export function setApplicationMenu(): void {
  const template = menus[process.platform];
  Menu.setApplicationMenu(template ? Menu.buildFromTemplate(template) : null);
}

const menus: Partial<Record<NodeJS.Platform, MenuItemConstructorOptions[]>> = {
  darwin: [{ role: 'appMenu' }, { role: 'editMenu' }, { role: 'windowMenu' }],
  linux: [{ label: 'Porchlight', submenu: [{ role: 'quit', accelerator: 'Ctrl+Q' }] }],
};
