import type { RunningDesktop } from './electron-app.ts';

/** Remembers the menus and images that the tray is given from now on. */
export async function watchTray(desktop: RunningDesktop): Promise<void> {
  await desktop.app.evaluate(({ Tray }) => {
    const { setContextMenu, setImage } = Tray.prototype as unknown as Record<
      string,
      (this: Electron.Tray, given: unknown) => void
    >;
    Tray.prototype.setContextMenu = function (menu) {
      Reflect.set(globalThis, 'trayMenu', menu);
      setContextMenu!.call(this, menu);
    };
    Tray.prototype.setImage = function (image) {
      Reflect.set(globalThis, 'trayImage', (image as Electron.NativeImage).toDataURL());
      setImage!.call(this, image);
    };
  });
}

/** What the tray's menu says; nothing while it has not changed since watchTray. */
export function trayLabels(desktop: RunningDesktop): Promise<string[]> {
  return desktop.app.evaluate(() =>
    ((Reflect.get(globalThis, 'trayMenu') as Electron.Menu | undefined)?.items ?? [])
      .filter(({ type }) => type !== 'separator')
      .map(({ label }) => label),
  );
}

export function trayImage(desktop: RunningDesktop): Promise<string> {
  return desktop.app.evaluate(() => Reflect.get(globalThis, 'trayImage') as string);
}

/** Clicks an item of the tray's real menu. */
export async function clickTray(desktop: RunningDesktop, label: string): Promise<void> {
  await desktop.app.evaluate((_electron, label) => {
    const menu = Reflect.get(globalThis, 'trayMenu') as Electron.Menu;
    const item = menu.items.find((each) => each.label === label) as { click: () => void } | undefined;
    item!.click();
  }, label);
}
