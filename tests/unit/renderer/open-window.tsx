import { notifications } from '@mantine/notifications';
import { cleanup, configure, render, screen, waitFor } from '@testing-library/react';
import { userEvent, type UserEvent } from '@testing-library/user-event';
import { expect, onTestFinished } from 'vitest';
import type { Handlers, MethodName } from '../../../src-main/contract/contract.ts';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import type { Client } from '../../../src-renderer/client/client.ts';
import { memoryClient, type MemoryClient } from '../../../src-renderer/client/memory.ts';
import { Appearance } from '../../../src-renderer/appearance.tsx';
import { Porchlight } from '../../../src-renderer/porchlight.tsx';
import { houseHandlers, livedInHouse, type House } from '../../support/window-fixtures.ts';

interface Options {
  readonly house?: House;
  /** Instead of what the house would answer. */
  readonly handlers?: Partial<Handlers>;
  readonly hash?: string;
  readonly home?: Client['home'];
}

export interface OpenWindow {
  readonly client: MemoryClient;
  readonly house: House;
  readonly user: UserEvent;
  /** The parameters of every call of a method so far. */
  readonly callsOf: (method: MethodName) => unknown[];
}

/** Opens the whole window on a house, at a place. */
export function openWindow({
  house = livedInHouse(Date.now()),
  handlers = {},
  hash = '#/',
  home = 'desktop',
}: Options = {}): OpenWindow {
  onTestFinished(leave);
  window.location.hash = hash;
  const client = memoryClient({ ...houseHandlers(house), ...handlers }, home);
  render(
    <Appearance env="test">
      <Porchlight client={client} />
    </Appearance>,
  );
  const callsOf = (method: MethodName) =>
    client.calls.filter((call) => call.method === method).map(({ params }) => params);
  return { client, house, user: typingAtOnce(userEvent.setup()), callsOf };
}

/**
 * Makes `type` enter words at once, because each key draws the whole screen again. Lists take pasted words as entries,
 * so these get their letters one by one.
 */
function typingAtOnce(user: UserEvent): UserEvent {
  return {
    ...user,
    type: async (element, text) => {
      if (element.getAttribute('role') === 'combobox') return user.type(element, text);
      await user.type(element, '{Shift}');
      for (const part of text.split(/(\{\w+\})/).filter((part) => part !== ''))
        if (/^\{\w+\}$/.test(part)) await user.keyboard(part);
        else await user.paste(part.replaceAll('{{', '{'));
    },
  };
}

/** A button that ignores clicks for a moment after it appeared, once it takes them. */
export async function steady(button: HTMLElement): Promise<HTMLElement> {
  await waitFor(() => expect(button.getAttribute('aria-disabled')).toBeNull());
  return button;
}

/** Chooses an entry of the first "…" menu on the screen. */
export async function chooseFirstMore(user: UserEvent, name: string): Promise<void> {
  const [first] = await screen.findAllByRole('button', { name: 'More actions' });
  await user.click(first as HTMLElement);
  await user.click(await screen.findByRole('menuitem', { name }));
}

/** A handler that fails, as a service in trouble would. */
export function failing(message: string): () => Promise<never> {
  return () => Promise.reject(new PorchlightError('server_error', message));
}

/** Leaves the document as it was found: the tests of all files share it. */
function leave(): void {
  cleanup();
  notifications.clean();
  window.localStorage.clear();
  window.sessionStorage.clear();
}

// A busy machine is slow, not wrong.
configure({ asyncUtilTimeout: 20_000 });
