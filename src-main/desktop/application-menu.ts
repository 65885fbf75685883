import { Menu } from 'electron';

/** macOS takes the shortcuts of copy, paste and quit from the menu; elsewhere they work without, and it stays away. */
export function setApplicationMenu(): void {
  Menu.setApplicationMenu(
    process.platform === 'darwin'
      ? Menu.buildFromTemplate([{ role: 'appMenu' }, { role: 'editMenu' }, { role: 'windowMenu' }])
      : null,
  );
}
