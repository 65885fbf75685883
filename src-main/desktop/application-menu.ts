import { app, Menu, shell } from 'electron';
import { menuTemplate, type MenuActions } from './menu-template.ts';

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
