import { BrowserWindow, dialog, type MessageBoxOptions, type MessageBoxReturnValue } from 'electron';

/**
 * Shows a system message box while the server runs. On macOS, a box without a parent window would block the server
 * until somebody answers, and a signal could not close the box (Electron's dialog.showMessageBox, `signal`). On macOS,
 * the box is therefore a sheet of the owner's window, and a hidden window is shown first.
 */
export function showMessageBox(box: MessageBoxOptions): Promise<MessageBoxReturnValue> {
  const window = process.platform === 'darwin' ? BrowserWindow.getAllWindows()[0] : undefined;
  if (!window) return dialog.showMessageBox(box);
  window.show();
  return dialog.showMessageBox(window, box);
}
