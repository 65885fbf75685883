import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { livedInHouse, quietHouse } from '../../support/window-fixtures.ts';
import { manyMentions, mention, portraitOf } from '../../support/window-mentions.ts';
import { watchSight } from '../../support/window-sight.ts';
import { failing, openWindow, steady } from './open-window.tsx';

const hash = '#/webmentions';
const row = (name: string | RegExp) => screen.findByRole('button', { name });
const bread = /Keep it on!/;
const rows = () => within(screen.getByRole('list', { name: 'Webmentions' })).getAllByRole('listitem');

let sight: ReturnType<typeof watchSight>;
beforeEach(() => {
  sight = watchSight();
});

describe('the mentions', () => {
  test('each says who did what, how the text begins, its state and when it came', async () => {
    openWindow({ hash });
    expect((await row(bread)).textContent).toBe(
      'JJo Wren replied to “The lamp is on, and the kettle too” Keep it on! We are nearly there, and the bread is warm.4 minutes ago',
    );
    expect((await row(/I bring the apples/)).textContent).toContain('Sol Amari answered yes to');
    expect((await row(/reading\.example/)).textContent).toContain('bookmarked');
    expect((await row(/Kit reposted/)).textContent).toContain('reposted “Fog over the harbour');
    const waits = await row(/ليلى/);
    expect(waits.textContent).toContain('mentioned');
    expect(waits.textContent).toContain('Waiting');
    expect(waits.querySelector('[dir=auto]')?.textContent).toContain('شرفتك');
    expect((await row(/A\. Grump/)).textContent).toContain('Hidden');
  });

  test('one in the address is opened, even if it isn’t in the list', async () => {
    const { callsOf } = openWindow({ hash: `${hash}?status=hidden&id=m-1` });
    expect(await screen.findByRole('heading', { name: /Jo Wren replied/ })).toBeTruthy();
    expect(callsOf('webmentions.get')).toContainEqual({ id: 'm-1' });
  });

  test('an opened mention shows how its page was read', async () => {
    const { user } = openWindow({ hash });
    await user.click(await row(bread));
    await user.click(await screen.findByText('Their page when Porchlight last read it'));
    expect(screen.getByText('Links of the week: a lamp that somebody leaves on.')).toBeTruthy();
    expect(screen.getByText('Read lately')).toBeTruthy();
  });

  test('NW02 a mention that is only a photo is named in the list, and opens with our copy and its alt text', async () => {
    const house = livedInHouse(Date.now());
    const url = 'https://wren.example/door.jpg';
    const photo = { photo: [url, 'https://wren.example/2.jpg'], photoAlt: 'A red door', name: 'A red door' };
    const { content: _none, ...first } = house.mentions[0]!;
    house.mentions = [{ ...first, ...photo }, ...house.mentions.slice(1)];
    const { user, callsOf } = openWindow({ hash, house });
    await user.click(await row(/A photo: A red door/));
    const picture = await screen.findByRole('img', { name: 'A red door' });
    expect(picture.getAttribute('src')).toBe(portraitOf(url));
    expect(callsOf('webmentions.picture')).toContainEqual({ url, kind: 'photo' });
    expect(screen.getByText('Their page has 1 more.')).toBeTruthy();
    expect(screen.queryByRole('heading', { name: 'A red door' })).toBeNull();
  });

  test('a picture is asked for when its row comes into sight, once', async () => {
    const { callsOf } = openWindow({ hash });
    const shown = await row(bread);
    expect(callsOf('webmentions.picture')).toEqual([]);
    act(() => sight.show(shown));
    const url = 'https://wren.example/jo.jpg';
    await waitFor(() => expect(shown.querySelector('img')?.src).toBe(portraitOf(url)));
    act(() => sight.show(anyRow(/likes\/88|Sol Amari liked/)));
    expect(callsOf('webmentions.picture')).toEqual([{ url }]);
  });

  test('are narrowed by type, state, site and words, and the address remembers it', async () => {
    const { user, callsOf } = openWindow({ hash });
    await row(bread);
    await user.selectOptions(screen.getByLabelText('Type'), 'Replies');
    await user.selectOptions(screen.getByLabelText('Status'), 'Hidden');
    expect(await row(/A\. Grump/)).toBeTruthy();
    await waitFor(() => expect(rows()).toHaveLength(1));
    await user.type(screen.getByLabelText('From site'), 'https://Grump.example/about{Enter}');
    await waitFor(() => expect(window.location.hash).toContain('host=grump.example'));
    await user.type(screen.getByLabelText('Search mentions'), 'zzz');
    expect(await screen.findByText('No mentions match these filters.')).toBeTruthy();
    expect(callsOf('webmentions.list').at(-1)).toEqual({
      type: 'reply',
      status: 'hidden',
      host: 'grump.example',
      query: 'zzz',
      limit: 100,
    });
    await user.click(screen.getByRole('button', { name: 'Show all mentions' }));
    expect(await row(bread)).toBeTruthy();
  });

  test('an invalid site in the filter sends no request', async () => {
    const { user, callsOf } = openWindow({ hash });
    await row(bread);
    await user.type(screen.getByLabelText('From site'), 'not a site{Enter}');
    expect(await screen.findByText('Enter a site name such as example.com.')).toBeTruthy();
    expect(callsOf('webmentions.list')).not.toContainEqual(
      expect.objectContaining({ host: expect.anything() as string }),
    );
  });

  test('are narrowed by the address; unknown filters are left out', async () => {
    const { callsOf } = openWindow({ hash: `${hash}?status=held&type=dance` });
    expect(await row(/ليلى/)).toBeTruthy();
    expect(callsOf('webmentions.list')).toContainEqual({ status: 'held', limit: 100 });
  });

  test('none yet: says what this place is for and what to do', async () => {
    openWindow({ hash, house: quietHouse(Date.now()) });
    expect(await screen.findByText(/Nobody has mentioned your pages yet/)).toBeTruthy();
    const main = within(screen.getByRole('main'));
    expect(main.getByRole('link', { name: 'Set-up' }).getAttribute('href')).toBe('#/setup');
  });

  test('that can’t be read say so, with a way to try again', async () => {
    openWindow({ hash, handlers: { 'webmentions.list': failing('The disk is gone.') } });
    expect((await screen.findByRole('alert')).textContent).toContain('The disk is gone.');
    expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy();
  });
});

describe('what waits', () => {
  test('comes first in the list, and is counted in the sidebar', async () => {
    const { user, callsOf } = openWindow({ hash });
    await row(bread);
    expect(
      rows()
        .slice(0, 3)
        .map(({ textContent }) => textContent.includes('Waiting')),
    ).toEqual([true, true, false]);
    expect(await screen.findByRole('link', { name: 'Webmentions, 2 waiting' })).toBeTruthy();
    const [first] = rows();
    const approve = within(first as HTMLElement).getByRole('button', { name: 'Approve' });
    expect(document.getElementById(approve.getAttribute('aria-describedby') ?? '')?.textContent).toContain(
      'ليلى',
    );
    await user.click(await steady(approve));
    expect(callsOf('webmentions.decide')).toEqual([{ ids: ['m-3'], decision: 'approved' }]);
    expect(await screen.findByRole('link', { name: 'Webmentions, 1 waiting' })).toBeTruthy();
    await waitFor(() => expect(rows()[1]?.textContent).not.toContain('Waiting'));
  });

  test('can be opened although the filters leave it out of the list', async () => {
    const { user } = openWindow({ hash: `${hash}?type=like` });
    await user.click(await screen.findByRole('button', { name: 'Show waiting mentions' }));
    await waitFor(() => expect(rows()).toHaveLength(2));
    expect(window.location.hash).toBe(`${hash}?status=held`);
  });

  test('is not counted beyond 99, and asked for without more', async () => {
    const house = livedInHouse(Date.now());
    house.mentions = manyMentions(500).map((one) => ({ ...one, status: 'held' as const }));
    const { callsOf } = openWindow({ hash: '#/', house });
    expect((await screen.findByText('99+')).closest('a')?.getAttribute('href')).toBe(hash);
    expect(callsOf('webmentions.list')).toEqual([{ status: 'held', limit: 99 }]);
  });
});

describe('a hundred thousand mentions', () => {
  test('come in pages, and few rows are in the document', async () => {
    const house = { ...livedInHouse(Date.now()), mentions: manyMentions(100_000) };
    const { callsOf } = openWindow({ hash, house });
    const listed = () => callsOf('webmentions.list').filter((params) => !('status' in (params as object)));
    (await row(/Reply number 0\D/)).focus();
    expect(screen.getAllByRole('listitem').length).toBeLessThan(80);
    for (let times = 0; times < 3; times += 1) {
      const before = listed().length;
      fireEvent.keyDown(document.activeElement!, { key: 'End' });
      await waitFor(() => expect(listed().length).toBe(before + 1));
      await screen.findByText(`Reply number ${times * 100 + 99}`);
    }
    expect(rows().length).toBeLessThan(80);
    expect(listed().slice(0, 3)).toEqual([
      { limit: 100, without: 'held' },
      { limit: 100, without: 'held', cursor: 'n-99' },
      { limit: 100, without: 'held', cursor: 'n-199' },
    ]);
    expect(callsOf('webmentions.picture')).toEqual([]);
  });

  test('events change the list without a call for it, and the counts are requested once', async () => {
    const house = { ...livedInHouse(Date.now()), mentions: manyMentions(1000) };
    const { client, callsOf } = openWindow({ hash, house });
    (await row(/Reply number 0\D/)).focus();
    fireEvent.keyDown(document.activeElement!, { key: 'End' });
    await screen.findByText('Reply number 99');
    const lists = () => callsOf('webmentions.list').filter((params) => !('status' in (params as object)));
    await waitFor(() => expect(lists()).toHaveLength(2));
    fireEvent.keyDown(document.activeElement!, { key: 'Home' });
    const first = await row(/Reply number 0\D/);
    const counts = () =>
      callsOf('webmentions.list').filter((params) => (params as { limit?: number }).limit === 99);
    const counted = counts().length;
    for (let index = 0; index < 300; index += 1) {
      const fresh = mention(`fresh-${index}`, '2026-11-21T09:00:00.000Z', { name: `Fresh ${index}.` });
      client.emit({ name: 'webmention.received', data: fresh });
    }
    client.emit({ name: 'webmention.changed', data: { ...house.mentions[0]!, status: 'hidden' } });
    await waitFor(() => expect(first.textContent).toContain('Hidden'));
    expect(document.activeElement).toBe(first);
    await waitFor(() => expect(counts()).toHaveLength(counted + 1));
    expect(lists()).toHaveLength(2);
    fireEvent.keyDown(document.activeElement!, { key: 'Home' });
    expect(await row(/Fresh 0\./)).toBeTruthy();
  });

  test('a mention that an event brings stays out of lists that it is not in', async () => {
    const { client } = openWindow({ hash: `${hash}?status=hidden&type=reply&host=grump.example` });
    await row(/A\. Grump/);
    const source = 'https://grump.example/more';
    const now = new Date().toISOString();
    const hidden = { source, type: 'reply', status: 'hidden' } as const;
    client.emit({ name: 'webmention.received', data: mention('e-1', now, { ...hidden, type: 'like' }) });
    client.emit({ name: 'webmention.received', data: mention('e-2', now, { ...hidden, status: 'held' }) });
    client.emit({
      name: 'webmention.received',
      data: mention('e-3', now, { ...hidden, source: 'https://a.example/' }),
    });
    client.emit({
      name: 'webmention.received',
      data: mention('e-4', now, { ...hidden, name: 'Lamps again' }),
    });
    expect(await row(/Lamps again/)).toBeTruthy();
    expect(rows()).toHaveLength(2);
    client.emit({ name: 'webmention.changed', data: mention('e-4', now, { ...hidden, status: 'deleted' }) });
    await waitFor(() => expect(rows()).toHaveLength(1));
  });
});

describe('by page', () => {
  test('each page says its counts in words and how many wait; opening it shows its mentions', async () => {
    const { user, callsOf } = openWindow({ hash });
    await row(bread);
    await user.click(screen.getByRole('radio', { name: 'By page' }));
    const page = await row(/On porches.*waiting/);
    expect(page.textContent).toMatch(/1 reply 2 likes/);
    expect(page.textContent).toContain('1 waiting');
    expect((await row(/^marlow|^porch\.marlow\.example/)).textContent).toContain('No approved mentions yet');
    await user.click(page);
    expect(await screen.findByRole('heading', { name: /^Mentions of “On porches”/ })).toBeTruthy();
    expect(await row(/ليلى/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: bread })).toBeNull();
    const target = 'https://porch.marlow.example/posts/2026/11/on-porches';
    expect(callsOf('webmentions.list')).toContainEqual({ target, without: 'held', limit: 100 });
    await user.click(screen.getByRole('button', { name: 'All pages' }));
    expect(await screen.findByRole('list', { name: 'Mentioned pages' })).toBeTruthy();
    expect(window.location.hash).toBe('#/webmentions?view=pages');
  });
});

describe('looking for new ones', () => {
  test('reports the result in words', async () => {
    const { user, callsOf } = openWindow({ hash });
    await row(bread);
    await user.click(screen.getByRole('button', { name: 'Check for new mentions' }));
    expect(
      await screen.findByText(
        'Checked 3 mentions: 1 new, 1 updated, 1 without a link to your pages. Porchlight will try 2 mentions again later.',
      ),
    ).toBeTruthy();
    expect(callsOf('webmentions.process')).toEqual([{}]);
  });

  test('that fails says why', async () => {
    const { user } = openWindow({ hash, handlers: { 'webmentions.process': failing('No network.') } });
    await row(bread);
    await user.click(screen.getByRole('button', { name: 'Check for new mentions' }));
    expect((await screen.findByRole('alert')).textContent).toContain('No network.');
  });
});

/** What is in the document now, by its name. */
function anyRow(name: RegExp): HTMLElement {
  return screen.getAllByRole('button', { name })[0]!;
}
