import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import {
  goodToken,
  mailboxStates,
  weakToken,
  withMailbox,
} from '../../support/window-cloudflare-handlers.ts';
import { quietHouse, type House } from '../../support/window-fixtures.ts';
import { failing, openWindow, steady } from './open-window.tsx';

const now = Date.now();
const hash = '#/settings/mailbox';
const panel = async () => within(await screen.findByRole('group', { name: 'Mailbox' }));
const dialog = async () => within(await screen.findByRole('dialog'));
const houseIn = (state: Parameters<typeof withMailbox>[1], tokenKept = true): House =>
  withMailbox(quietHouse(now), state, now, tokenKept);

describe('the mailbox in the settings', () => {
  test('without an address at Cloudflare, it says what is missing and links there', async () => {
    openWindow({ hash, house: quietHouse(now) });
    const shown = await panel();
    expect(shown.getByText('The mailbox is off')).toBeTruthy();
    expect(shown.getByText(/Never stores drafts, private posts or tokens/)).toBeTruthy();
    expect(shown.getByRole('link', { name: 'Set up your address' }).getAttribute('href')).toBe(
      '#/settings/reach',
    );
    expect(shown.queryByRole('button')).toBeNull();
  });

  test('is turned on with the kept token, and its progress is shown', async () => {
    const house = houseIn(null);
    let open = (): void => undefined;
    if (house.cloudflare) house.cloudflare.gate = new Promise<void>((resolve) => (open = resolve));
    const { user, client, callsOf } = openWindow({ hash, house });
    const shown = await panel();
    await user.click(shown.getByRole('button', { name: 'Turn on' }));
    act(() =>
      client.emit({
        name: 'cloudflare.progress',
        data: { task: 'mailbox', words: 'Uploading the Worker', done: 1, total: 3 },
      }),
    );
    expect((await shown.findByText('Uploading the Worker')).closest('[role=status]')).toBeTruthy();
    open();
    const title = await shown.findByText('The mailbox is on');
    expect(shown.queryByText('Uploading the Worker')).toBeNull();
    expect(document.activeElement?.contains(title)).toBe(true);
    expect(callsOf('mailbox.turnOn')).toEqual([{}]);
  });

  test('without a kept token, turning on asks for one', async () => {
    const { user, callsOf } = openWindow({ hash, house: houseIn(null, false) });
    await user.click((await panel()).getByRole('button', { name: 'Turn on' }));
    await user.type((await dialog()).getByLabelText('API token'), `${goodToken}{Enter}`);
    expect(await (await panel()).findByText('The mailbox is on')).toBeTruthy();
    expect(callsOf('mailbox.turnOn')).toEqual([{ apiToken: goodToken }]);
  });

  test('says how many copies are still to be made, and follows the events', async () => {
    const { client } = openWindow({ hash, house: houseIn('awake') });
    const shown = await panel();
    expect(shown.getByText('Copying your site: 214 of 310')).toBeTruthy();
    expect(shown.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('69.03225806451613');
    act(() => client.emit({ name: 'mailbox.changed', data: { ...mailboxStates.ready(now), kept: 3 } }));
    expect(await shown.findByText('The mailbox is ready')).toBeTruthy();
    expect(shown.getByText('Everything is copied. This computer may sleep.')).toBeTruthy();
    expect(shown.getByText('Waiting in the mailbox: 3 things')).toBeTruthy();
    expect(shown.getByText('Copied: 310 pages and files')).toBeTruthy();
    expect(shown.getByText(/^Last fetched:/).textContent).toContain('(14 things)');
    expect(shown.queryByRole('progressbar')).toBeNull();
  });

  test('says how many large files are not copied', async () => {
    openWindow({ hash, house: houseIn('full') });
    const shown = await panel();
    expect((await shown.findByText(/Not copied/)).textContent).toBe(
      'Not copied: 3 large files. A copy has at most 2 MB, and all copies 500 MB.',
    );
  });

  test('warns of pages that are no longer public but still copied, and tries again', async () => {
    const { user, callsOf } = openWindow({ hash, house: houseIn('removing') });
    const shown = await panel();
    const warning = 'The copies of 2 pages still show something that is no longer public.';
    expect(shown.getByText(warning)).toBeTruthy();
    await user.click(shown.getByRole('button', { name: 'Try again' }));
    await waitFor(() => expect(shown.queryByText(warning)).toBeNull());
    expect(callsOf('mailbox.retry')).toEqual([{}]);
  });

  test('is turned off after a question, which names the data that is deleted', async () => {
    const { user, callsOf } = openWindow({ hash, house: houseIn('ready') });
    const shown = await panel();
    await user.click(shown.getByRole('button', { name: 'Turn off…' }));
    const asks = await dialog();
    expect(asks.getByText(/deletes the mailbox and all copies at Cloudflare/)).toBeTruthy();
    expect(callsOf('mailbox.turnOff')).toEqual([]);
    await user.click(await steady(asks.getByRole('button', { name: 'Turn off' })));
    expect(await shown.findByText('The mailbox is off')).toBeTruthy();
    expect(callsOf('mailbox.turnOff')).toEqual([{}]);
  });

  test('is turned off with what can’t be fetched only after a second question', async () => {
    const error = new PorchlightError('mailbox_not_empty', 'The mailbox keeps 3 things.');
    const { user, callsOf } = openWindow({
      hash,
      house: houseIn('ready'),
      handlers: { 'mailbox.turnOff': () => Promise.reject(error) },
    });
    const shown = await panel();
    await user.click(shown.getByRole('button', { name: 'Turn off…' }));
    await user.click(await steady((await dialog()).getByRole('button', { name: 'Turn off' })));
    expect((await shown.findByRole('alert')).textContent).toContain('keeps 3 things');
    await user.click(shown.getByRole('button', { name: 'Turn off…' }));
    await user.click(await steady((await dialog()).getByRole('button', { name: 'Delete it' })));
    await waitFor(() => expect(callsOf('mailbox.turnOff')).toEqual([{}, { discardKept: true }]));
  });

  test('replaces the keys with one click, and says so', async () => {
    const { user, callsOf } = openWindow({ hash, house: houseIn('ready') });
    const shown = await panel();
    await user.click(shown.getByRole('button', { name: 'Replace the keys' }));
    expect(await shown.findByText(/The keys are replaced\./)).toBeTruthy();
    expect(callsOf('mailbox.rotateKeys')).toEqual([{}]);
  });

  test('a token that lacks a permission is refused with a message, and the next try asks for another one', async () => {
    const { user } = openWindow({ hash, house: houseIn('ready', false) });
    const shown = await panel();
    for (const token of [weakToken, goodToken]) {
      await user.click(shown.getByRole('button', { name: 'Replace the keys' }));
      await user.type((await dialog()).getByLabelText('API token'), `${token}{Enter}`);
      if (token === weakToken)
        expect((await shown.findByRole('alert')).textContent).toContain('lacks the permission');
    }
    expect(await shown.findByText(/The keys are replaced\./)).toBeTruthy();
    expect(shown.queryByRole('alert')).toBeNull();
  });

  test('a mailbox that can’t be reached is tried again, and a failure says why', async () => {
    const { user } = openWindow({
      hash,
      // It needs nothing of Cloudflare, so it asks for no token.
      house: houseIn('unreachable', false),
      handlers: { 'mailbox.retry': failing('Cloudflare still doesn’t answer.') },
    });
    const shown = await panel();
    expect(shown.getByText('The mailbox needs your attention')).toBeTruthy();
    await user.click(shown.getByRole('button', { name: 'Try again' }));
    expect((await shown.findByRole('alert')).textContent).toContain('Cloudflare still doesn’t answer.');
  });

  test('one that belongs to another computer is taken over only after a question, without a token', async () => {
    const { user, callsOf } = openWindow({ hash, house: houseIn('foreign', false) });
    const shown = await panel();
    expect(shown.getByText(/Only one computer can use it/)).toBeTruthy();
    await user.click(shown.getByRole('button', { name: 'Use the mailbox on this computer…' }));
    expect(callsOf('mailbox.turnOn')).toEqual([]);
    const asks = await dialog();
    expect(asks.queryByLabelText('API token')).toBeNull();
    await user.click(await steady(asks.getByRole('button', { name: 'Use on this computer' })));
    expect(await shown.findByText('The mailbox is on')).toBeTruthy();
    expect(callsOf('mailbox.turnOn')).toEqual([{ takeOver: true }]);
  });

  test('one with another version is updated', async () => {
    const { user, callsOf } = openWindow({ hash, house: houseIn('outdated') });
    const shown = await panel();
    expect(shown.getByText('Last fetched: Never')).toBeTruthy();
    await user.click(shown.getByRole('button', { name: 'Update the mailbox' }));
    expect(await shown.findByText('The mailbox is on')).toBeTruthy();
    expect(callsOf('mailbox.turnOn')).toEqual([{}]);
  });
});

describe('the mailbox on the overview', () => {
  const drained = (arrived: number, at: string) => {
    const data = { ...mailboxStates.ready(now), lastDrain: { arrived, at } };
    return { name: 'mailbox.changed', data } as const;
  };

  test('says what arrived while the owner was away, with a way to the mentions, until it is dismissed', async () => {
    const { user, client } = openWindow({ house: quietHouse(now) });
    await screen.findByRole('switch', { name: 'Porchlight' });
    expect(screen.queryByText(/arrived while you were away/)).toBeNull();
    act(() => client.emit(drained(1, '2026-11-20T12:00:00.000Z')));
    expect(await screen.findByText(/^1 thing arrived while you were away\./)).toBeTruthy();
    act(() => client.emit(drained(14, '2026-11-20T13:00:00.000Z')));
    const line = await screen.findByText(/^14 things arrived while you were away\./);
    expect(line.closest('[role=status]')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Show mentions' }).getAttribute('href')).toBe('#/webmentions');
    await user.click(screen.getByRole('button', { name: 'Dismiss' }));
    expect(screen.queryByText(/arrived while you were away/)).toBeNull();
    act(() => client.emit(drained(2, '2026-11-20T14:00:00.000Z')));
    expect(await screen.findByText(/^2 things arrived while you were away\./)).toBeTruthy();
  });

  test('a dismissed notice stays dismissed in the next window', async () => {
    const house = houseIn('ready');
    const { user } = openWindow({ house });
    expect(await screen.findByText(/^14 things arrived while you were away\./)).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Dismiss' }));
    cleanup();
    openWindow({ house });
    await screen.findByRole('switch', { name: 'Porchlight' });
    await screen.findByRole('heading', { name: 'The last days' });
    expect(screen.queryByText(/arrived while you were away/)).toBeNull();
  });

  test('says once that the mailbox needs the owner, with the way there', async () => {
    const house = houseIn('unreachable');
    const message = 'Porchlight can’t reach the mailbox: Cloudflare didn’t answer in time.';
    house.status = { ...house.status, problems: [{ code: 'mailbox', message }] };
    openWindow({ house });
    const line = await screen.findByText(/^The mailbox needs your attention\./);
    expect(line.textContent).toContain(message);
    expect(screen.getAllByText(new RegExp(message))).toHaveLength(1);
    expect(screen.getByRole('link', { name: 'Show the mailbox' }).getAttribute('href')).toBe(hash);
  });

  test.each(['awake', 'ready'] as const)('says nothing of trouble while it is fine: %s', async (state) => {
    openWindow({ house: houseIn(state) });
    await screen.findByRole('switch', { name: 'Porchlight' });
    expect(screen.queryByText(/The mailbox needs your attention/)).toBeNull();
  });
});
