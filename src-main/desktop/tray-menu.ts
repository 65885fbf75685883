import type { MenuItemConstructorOptions } from 'electron';
import type { Status } from '../contract/status.ts';

/** What the tray's menu can do. */
export interface TrayActions {
  readonly turnOn: () => void;
  readonly turnOff: () => void;
  readonly open: () => void;
  readonly signIns: () => void;
  readonly quit: () => void;
}

/** The tray's menu for a status: a value, so that it can be tested without a tray. */
export function trayMenu(status: Status, actions: TrayActions): MenuItemConstructorOptions[] {
  return [
    // An ampersand in a label marks an access key unless it is doubled.
    { label: oneLine(status.words).replaceAll('&', '&&'), enabled: false },
    status.server === 'on'
      ? { label: 'Turn off', click: actions.turnOff }
      : { label: status.server === 'off' ? 'Turn on' : 'Try again', click: actions.turnOn },
    { type: 'separator' },
    ...(status.waiting > 0 ? [{ label: waitingWords(status.waiting), click: actions.signIns }] : []),
    { label: 'Open Porchlight', click: actions.open },
    { type: 'separator' },
    { label: 'Quit', click: actions.quit },
  ];
}

/** What the tray says when the pointer rests on it. */
export function trayTip(status: Status): string {
  return `Porchlight: ${oneLine(status.words)}`;
}

function waitingWords(count: number): string {
  return count === 1 ? '1 sign-in is waiting…' : `${count} sign-ins are waiting…`;
}

// Menus are narrow.
function oneLine(words: string): string {
  const line = words.replace(/\s+/g, ' ').trim();
  return line.length <= 90 ? line : `${line.slice(0, 89)}…`;
}
