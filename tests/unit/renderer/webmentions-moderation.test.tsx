import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { replyAddressOf } from '../../../src-renderer/features/webmentions/naming.ts';
import { mention } from '../../support/window-mentions.ts';
import { failing, openWindow, type OpenWindow, steady } from './open-window.tsx';

const hash = '#/webmentions';
const row = (name: string | RegExp) => screen.findByRole('button', { name });
const bread = /Keep it on!/;
/** Chooses an entry of the "…" menu of the opened mention. */
async function more(user: OpenWindow['user'], name: string): Promise<void> {
  await user.click((await opened()).getByRole('button', { name: 'More actions' }));
  await user.click(await screen.findByRole('menuitem', { name }));
}
const opened = async () => within(await screen.findByRole('dialog', { name: 'Webmention' }));

describe('a mention that is opened', () => {
  test('shows its author, its text with its links, both addresses, and when it was', async () => {
    const { user } = openWindow({ hash });
    await user.click(await row(bread));
    const shown = await opened();
    expect(shown.getByRole('heading', { name: /^Jo Wren\s+replied to\s+“The lamp is on/ })).toBeTruthy();
    expect(shown.getByText('nearly').tagName).toBe('EM');
    for (const name of [
      'https://wren.example/',
      'https://wren.example/notes/lamp',
      'https://porch.marlow.example/posts/2026/11/the-lamp-is-on',
    ]) {
      const link = shown.getByRole('link', { name });
      expect([link.getAttribute('target'), link.getAttribute('rel')]).toEqual([
        '_blank',
        'noopener noreferrer',
      ]);
    }
    expect(shown.getByText('Published').nextSibling?.textContent).toBe('6 minutes ago');
    expect(shown.getByText('Received', { selector: 'dt' }).nextSibling?.textContent).toBe('4 minutes ago');
    await user.click(shown.getByRole('button', { name: 'More actions' }));
    expect(await screen.findByRole('menuitem', { name: 'Copy the address of their page' })).toBeTruthy();
  });

  test('is replied to in the editor', async () => {
    const { user } = openWindow({ hash });
    await user.click(await row(bread));
    const link = (await opened()).getByRole('link', { name: 'Reply' });
    expect(link.getAttribute('href')).toBe('#/write?reply=https%3A%2F%2Fwren.example%2Fnotes%2Flamp');
  });

  test('without HTML shows its text as text', async () => {
    const { user } = openWindow({ hash });
    await user.click(await row(/ليلى/));
    const shown = await opened();
    expect(shown.getByText(/قرأت هذا/).getAttribute('dir')).toBe('auto');
    expect(shown.getByText('Waiting')).toBeTruthy();
  });

  test('that waits is approved, stays open, and can be set back', async () => {
    const { user, callsOf } = openWindow({ hash: `${hash}?status=held` });
    await user.click(await row(/ليلى/));
    await user.click(await steady((await opened()).getByRole('button', { name: 'Approve' })));
    expect(await screen.findByText(/^Approved:/)).toBeTruthy();
    const shown = await opened();
    await waitFor(() => expect(shown.queryByText('Waiting')).toBeNull());
    expect(shown.queryByRole('button', { name: 'Approve' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    expect(await screen.findByText('Undone.')).toBeTruthy();
    expect(callsOf('webmentions.decide')).toEqual([{ ids: ['m-3'], decision: 'approved' }]);
    expect(callsOf('webmentions.undo')).toHaveLength(1);
    expect((await opened()).getByText('Waiting')).toBeTruthy();
  });

  test('is hidden, and its row says so', async () => {
    const { user, callsOf } = openWindow({ hash });
    await user.click(await row(bread));
    await user.click(await steady((await opened()).getByRole('button', { name: 'Hide' })));
    expect(await screen.findByText(/^Hidden:/)).toBeTruthy();
    await user.keyboard('{Escape}');
    expect((await row(bread)).textContent).toContain('Hidden');
    expect(callsOf('webmentions.decide')).toEqual([{ ids: ['m-1'], decision: 'hidden' }]);
  });

  test('that was deleted is brought back', async () => {
    const { user, callsOf } = openWindow({ hash: `${hash}?status=deleted` });
    await user.click(await row(/Cheap fog/));
    const shown = await opened();
    expect(shown.queryByRole('button', { name: 'Approve' })).toBeNull();
    await user.click(shown.getByRole('button', { name: 'Restore' }));
    expect(await screen.findByText(/^Restored:/)).toBeTruthy();
    expect(callsOf('webmentions.decide')).toEqual([{ ids: ['m-9'], decision: 'restored' }]);
    expect(await screen.findByText(/No deleted mentions match/)).toBeTruthy();
  });

  test('that its source took away can only be deleted', async () => {
    const { user } = openWindow({ hash: `${hash}?status=removed` });
    await user.click(await row(/moved\.example/));
    const shown = await opened();
    expect(shown.queryByRole('button', { name: 'Approve' })).toBeNull();
    expect(shown.queryByRole('button', { name: 'Hide' })).toBeNull();
    await user.click(shown.getByRole('button', { name: 'More actions' }));
    expect(await screen.findByRole('menuitem', { name: 'Delete' })).toBeTruthy();
  });

  test('that an aggregator no longer lists can be approved, and that can be undone', async () => {
    const dropped = mention('m-40', '2026-11-01T10:00:00.000Z', {
      source: 'https://moved.example/old',
      status: 'removed',
      removedBy: 'aggregator',
    });
    const { user, callsOf } = openWindow({
      hash: `${hash}?status=removed`,
      handlers: {
        'webmentions.list': () => Promise.resolve({ items: [dropped] }),
        'webmentions.decide': () =>
          Promise.resolve({
            changed: [mention('m-40', dropped.received)],
            refused: 0,
            undo: 'undo-1',
            saved: true,
          }),
        'webmentions.undo': () => Promise.resolve({ changed: [dropped] }),
      },
    });
    await user.click(await row(/moved\.example/));
    const shown = await opened();
    expect(shown.queryByRole('button', { name: 'Hide' })).toBeNull();
    await user.click(await steady(shown.getByRole('button', { name: 'Approve' })));
    await waitFor(() =>
      expect(callsOf('webmentions.decide')).toEqual([{ ids: ['m-40'], decision: 'approved' }]),
    );
    expect(await screen.findByText(/^Approved:/)).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    expect(await screen.findByText('Undone.')).toBeTruthy();
    expect((await opened()).queryByRole('button', { name: 'Hide' })).toBeNull();
  });

  test('a failed change says why and leaves the mention unchanged', async () => {
    const fails = failing('The disk is full.');
    const { user } = openWindow({
      hash,
      handlers: { 'webmentions.decide': fails },
    });
    await user.click(await row(bread));
    await more(user, 'Delete');
    expect(await screen.findByText(/Not deleted\. The disk is full\./)).toBeTruthy();
    await user.click(await steady((await opened()).getByRole('button', { name: 'Hide' })));
    expect(await screen.findByText(/Not hidden\. The disk is full\./)).toBeTruthy();
    expect((await opened()).getByRole('button', { name: 'Hide' })).toBeTruthy();
  });

  test('leads to all from its site', async () => {
    const { user, callsOf } = openWindow({ hash });
    await user.click(await row(bread));
    await more(user, 'Show only this site');
    await waitFor(() => expect(window.location.hash).toBe('#/webmentions?host=wren.example'));
    await waitFor(() =>
      expect(callsOf('webmentions.list')).toContainEqual({
        host: 'wren.example',
        without: 'held',
        limit: 100,
      }),
    );
  });
});

describe('the keyboard', () => {
  test('moves, opens, approves, hides, deletes and closes', async () => {
    const { user, callsOf } = openWindow({ hash });
    (await row(bread)).focus();
    await user.keyboard('k{ArrowUp}');
    expect(document.activeElement?.textContent).toContain('ليلى');
    await user.keyboard('a');
    await waitFor(() =>
      expect(callsOf('webmentions.decide')).toEqual([{ ids: ['m-3'], decision: 'approved' }]),
    );
    await waitFor(() => expect(document.activeElement?.textContent).toContain('Waiting'));
    expect(document.activeElement?.textContent).not.toContain('ليلى');
    await user.keyboard('jj{Enter}');
    await opened();
    await user.keyboard('h');
    await waitFor(() =>
      expect(callsOf('webmentions.decide')).toContainEqual({ ids: ['m-2'], decision: 'hidden' }),
    );
    await user.keyboard('{Delete}');
    await waitFor(() =>
      expect(callsOf('webmentions.decide')).toContainEqual({ ids: ['m-2'], decision: 'deleted' }),
    );
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await waitFor(() => expect(document.activeElement?.textContent).toContain('Sol Amari liked'));
  });

  test('deletes, and undoes it from the note', async () => {
    const { user, callsOf } = openWindow({ hash });
    (await row(bread)).focus();
    await user.keyboard('{Delete}');
    expect(await screen.findByText(/^Deleted:/)).toBeTruthy();
    await waitFor(() => expect(document.activeElement?.textContent).toContain('Deleted'));
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    expect(await screen.findByText('Undone.')).toBeTruthy();
    expect(callsOf('webmentions.undo')).toHaveLength(1);
  });

  test('a key for the current state, or one of the system, does nothing', async () => {
    const { user, callsOf } = openWindow({ hash });
    (await row(bread)).focus();
    await user.keyboard('a{Control>}h{/Control}');
    expect(callsOf('webmentions.decide')).toEqual([]);
    expect(screen.getByText(/approves/).textContent).toContain('Delete deletes');
  });
});

describe('blocking a site', () => {
  test('asks first and explains the effect', async () => {
    const { user, callsOf } = openWindow({ hash });
    await user.click(await row(bread));
    await more(user, 'Block this site…');
    const question = within(await screen.findByRole('dialog', { name: /^Block\s+wren\.example/ }));
    expect(question.getByText(/refuses new mentions/).textContent).toContain(
      'hides their mentions that are already here',
    );
    expect(question.queryByText(/forwarded/)).toBeNull();
    expect(callsOf('webmentions.blockDomain')).toEqual([]);
    await user.click(await steady(question.getByRole('button', { name: /^Block this site/ })));
    expect(await screen.findByText(/^Blocked wren\.example/)).toBeTruthy();
    expect(callsOf('webmentions.blockDomain')).toEqual([{ domain: 'wren.example' }]);
  });

  test('warns if a site only passed the mention on, and can be cancelled', async () => {
    const { user, callsOf } = openWindow({ hash });
    await user.click(await row(/Kit reposted/));
    await more(user, 'Block this site…');
    const question = within(await screen.findByRole('dialog', { name: /^Block\s+brid\.example/ }));
    expect(question.getByText(/only forwarded the mention/)).toBeTruthy();
    await user.click(question.getByRole('button', { name: 'Cancel' }));
    expect(callsOf('webmentions.blockDomain')).toEqual([]);
  });
});

describe('blocking a person', () => {
  test('asks first, blocks the author’s address, and can be undone', async () => {
    const { user, callsOf } = openWindow({ hash });
    await user.click(await row(bread));
    await more(user, 'Block this person…');
    const question = within(await screen.findByRole('dialog', { name: /^Block\s+https:\/\/wren\.example/ }));
    expect(question.getByText(/whichever site sends them/).textContent).toContain('hides their mentions');
    expect(callsOf('webmentions.blockPerson')).toEqual([]);
    await user.click(await steady(question.getByRole('button', { name: 'Block this person' })));
    expect(await screen.findByText(/^Blocked https:\/\/wren\.example/)).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    expect(await screen.findByText(/^Unblocked https:\/\/wren\.example/)).toBeTruthy();
    const person = [{ author: 'https://wren.example/' }];
    expect([callsOf('webmentions.blockPerson'), callsOf('webmentions.unblockPerson')]).toEqual([
      person,
      person,
    ]);
  });

  test('isn’t offered for a mention without an author’s address', async () => {
    const { user } = openWindow({ hash: `${hash}?status=removed` });
    await user.click(await row(/moved\.example/));
    const shown = await opened();
    await user.click(shown.getByRole('button', { name: 'More actions' }));
    expect(await screen.findByRole('menuitem', { name: 'Block this site…' })).toBeTruthy();
    expect(screen.queryByRole('menuitem', { name: 'Block this person…' })).toBeNull();
  });
});

test('a mention that a block hides says so, and can’t be approved', async () => {
  const blocked = mention('m-41', '2026-11-01T10:00:00.000Z', {
    source: 'https://brid.example/41',
    status: 'hidden',
    blocked: true,
  });
  const { user } = openWindow({
    hash: `${hash}?status=hidden`,
    handlers: { 'webmentions.list': () => Promise.resolve({ items: [blocked] }) },
  });
  await user.click(await row(/brid\.example/));
  const shown = await opened();
  expect(shown.queryByRole('button', { name: 'Approve' })).toBeNull();
  expect(shown.getByText(/you blocked its author or its site/)).toBeTruthy();
  const link = shown.getByRole('link', { name: 'Unblock in Settings' });
  expect(link.getAttribute('href')).toBe('#/settings/webmentions?id=blocked');
});

test('a reply answers the original, at a web address, of a mention that still exists', () => {
  const source = 'https://bridge.example/1';
  const url = 'https://social.example/@kit/1';
  const one = (part: object) =>
    replyAddressOf({ ...mention('one', new Date().toISOString(), { source }), ...part });
  expect(one({ url })).toBe(url);
  expect(one({ url: 'javascript:alert(1)' })).toBe(source);
  expect(one({})).toBe(source);
  expect(one({ url: 'at://did/1', source: 'nostr:x' })).toBeUndefined();
  for (const status of ['deleted', 'removed'] as const) expect(one({ status })).toBeUndefined();
});
