import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { livedInHouse } from '../../support/window-fixtures.ts';
import { manyMentions, mention } from '../../support/window-mentions.ts';
import { openWindow, steady } from './open-window.tsx';

const hash = '#/webmentions';
const tick = (name: RegExp) => screen.findByRole('checkbox', { name });
const bar = () => within(screen.getByRole('group', { name: 'Selected mentions' }));

/** A house of six mentions: two wait, one was withdrawn by its source. */
function sixHouse() {
  const at = (minute: number) => `2026-11-20T10:0${minute}:00.000Z`;
  const one = (index: number, part = {}) =>
    mention(`s-${index}`, at(9 - index), {
      name: `Words ${index}`,
      source: `https://site-${index}.example/`,
      ...part,
    });
  const mentions = [
    one(0),
    one(1, { status: 'held' }),
    one(2, { status: 'held' }),
    one(3, { status: 'hidden' }),
    one(4, { status: 'removed', removedBy: 'source' }),
    one(5),
  ];
  return { ...livedInHouse(Date.now()), mentions };
}

describe('several mentions', () => {
  test('are selected as a range with Shift, moderated together, and restored by an undo', async () => {
    const house = sixHouse();
    const before = house.mentions.map(({ id, status }) => [id, status]);
    const { user, callsOf } = openWindow({ hash, house });
    // Those that wait come first, so the range is s-2, s-0 and s-3, which is hidden already.
    await user.click(await tick(/site-2/));
    fireEvent.click(await tick(/site-3/), { shiftKey: true });
    expect(bar().getByText('3 selected')).toBeTruthy();
    await user.click(await steady(bar().getByRole('button', { name: 'Hide' })));
    expect(await screen.findByText('Hidden 2 mentions.')).toBeTruthy();
    expect(callsOf('webmentions.decide')).toEqual([{ ids: ['s-2', 's-0'], decision: 'hidden' }]);
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    expect(await screen.findByText('Undone.')).toBeTruthy();
    expect(house.mentions.map(({ id, status }) => [id, status])).toEqual(before);
  });

  test('are all selected at once, and only decisions that are open to some are offered', async () => {
    const { user, callsOf } = openWindow({ hash, house: sixHouse() });
    await user.click(await tick(/^Select all shown \(6\)/));
    expect(bar().getByText('6 selected')).toBeTruthy();
    expect(bar().queryByRole('button', { name: 'Restore' })).toBeNull();
    await user.click(await steady(bar().getByRole('button', { name: 'Delete' })));
    expect(await screen.findByText(/^Deleted 5 mentions\./)).toBeTruthy();
    expect(callsOf('webmentions.decide')).toHaveLength(1);
    await user.click(bar().getByRole('button', { name: 'Clear selection' }));
    expect(bar().queryByText(/selected/)).toBeNull();
  });

  test('are deleted while more wait, and the rest is shown', async () => {
    const mentions = manyMentions(130).map((one) => ({ ...one, status: 'held' as const }));
    const house = { ...livedInHouse(Date.now()), mentions };
    const { user, callsOf } = openWindow({ hash: `${hash}?status=held`, house });
    await user.click(await tick(/^Select all shown \(100\)/));
    await user.click(await steady(bar().getByRole('button', { name: 'Delete' })));
    expect(await tick(/^Select all shown \(30\)/)).toBeTruthy();
    expect(screen.queryByText(/No mentions match/)).toBeNull();
    expect(callsOf('webmentions.list').length).toBeGreaterThan(1);
  });

  test('are selected by keyboard, and a new list starts with none', async () => {
    const { user } = openWindow({ hash, house: sixHouse() });
    (await screen.findByRole('button', { name: /Words 0/ })).focus();
    await user.keyboard('xjj{Shift>}X{/Shift}');
    expect(bar().getByText('3 selected')).toBeTruthy();
    await user.selectOptions(screen.getByLabelText('Status'), 'Waiting');
    await tick(/^Select all shown \(2\)/);
    await waitFor(() => expect(bar().queryByText(/selected/)).toBeNull());
  });

  test('have their sites blocked after one question, which can be undone', async () => {
    const { user, callsOf } = openWindow({ hash, house: sixHouse() });
    await user.click(await tick(/site-0/));
    await user.click(await tick(/site-5/));
    await user.click(bar().getByRole('button', { name: 'Block sites…' }));
    const question = within(await screen.findByRole('dialog', { name: 'Block 2 sites?' }));
    expect(question.getByText(/site-0\.example, site-5\.example/)).toBeTruthy();
    await user.click(await steady(question.getByRole('button', { name: 'Block 2 sites' })));
    expect(await screen.findByText('Blocked 2 sites.')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    expect(await screen.findByText('Unblocked 2 sites.')).toBeTruthy();
    const both = [{ domain: 'site-0.example' }, { domain: 'site-5.example' }];
    expect([callsOf('webmentions.blockDomain'), callsOf('webmentions.unblockDomain')]).toEqual([both, both]);
  });
});

describe('the reason', () => {
  test('is shown for each mention that waits or is shown, with the rule', async () => {
    const house = sixHouse();
    house.mentions[1] = { ...house.mentions[1]!, admission: 'stranger' };
    const { user } = openWindow({ hash, house });
    await user.click(await screen.findByRole('button', { name: /Words 1/ }));
    const shown = within(await screen.findByRole('dialog', { name: 'Webmention' }));
    expect(
      shown.getByText(
        /Waiting for you because you haven’t approved a mention by this person from site-1\.example before/,
      ),
    ).toBeTruthy();
  });

  test('the owner’s own mention is called so and does not count as waiting', async () => {
    const house = sixHouse();
    house.mentions[1] = { ...house.mentions[1]!, own: true };
    openWindow({ hash, house });
    const row = await screen.findByRole('button', { name: /^You mentioned/ });
    expect(row.textContent).toContain('Your own');
    expect(await screen.findByRole('link', { name: 'Webmentions, 1 waiting' })).toBeTruthy();
  });
});
