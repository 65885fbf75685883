import { BrowserWindow, dialog, type MessageBoxOptions, type MessageBoxReturnValue } from 'electron';

/**
 * Asks in a box of the system while the server runs. A box that belongs to no window is run synchronously by macOS: it
 * would hold up the server until somebody answers, and no signal closes it. There it comes as a sheet of the owner's
 * window, which is shown for it (Electron's dialog.showMessageBox, `signal`).
 */
export function showMessageBox(box: MessageBoxOptions): Promise<MessageBoxReturnValue> {
  const window = process.platform === 'darwin' ? BrowserWindow.getAllWindows()[0] : undefined;
  if (!window) return dialog.showMessageBox(box);
  window.show();
  return dialog.showMessageBox(window, box);
}
