import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { settingsHash, writeHash } from '../../../src-renderer/routes.ts';
import { folderStates, hugoFolder, withFolder } from '../../support/window-folder-handlers.ts';
import { livedInHouse, quietHouse } from '../../support/window-fixtures.ts';
import { failing, openWindow, steady } from './open-window.tsx';

const now = Date.now();
const hash = settingsHash('site-folder');
type Options = Parameters<typeof openWindow>[0];

async function openFolder(options: Options = {}) {
  const opened = openWindow({ hash, ...options });
  const region = within(await screen.findByRole('region', { name: 'Your own site' }));
  return { ...opened, region };
}

const inState = (state: Parameters<typeof withFolder>[1]) => withFolder(livedInHouse(now), state, now);

/** Opens the page with a folder that has been checked and shows its preview. */
async function checkFolder(path = '/home/robin/site', options: Options = {}) {
  const opened = await openFolder({ home: 'browser', ...options });
  await opened.user.type(await opened.region.findByLabelText('Folder of your site'), path);
  await opened.user.click(opened.region.getByRole('button', { name: 'Check this folder' }));
  await opened.region.findByRole('region', { name: 'What Porchlight found' });
  return opened;
}

describe('setting up the folder', () => {
  test('shows the posts in the folder, and saves nothing before the owner turns it on', async () => {
    const { region, user, callsOf } = await checkFolder();
    const found = region.getByRole('region', { name: 'What Porchlight found' });
    expect(found.textContent).toMatch(/Hugo \(hugo\.toml\).*Robin Marlow.*214 posts.*main, pushed to origin/);
    await waitFor(() =>
      expect(document.activeElement).toBe(within(found).getByRole('heading', { level: 3 })),
    );
    expect((await region.findByLabelText('Text of the file')).textContent).toContain('title: "A note"');
    expect(region.getByText('https://marlow.example/posts/a-note/')).toBeTruthy();
    expect(region.getByText(/^Nothing is written yet\./).textContent).toContain('/home/robin/site');
    expect(callsOf('settings.update')).toEqual([]);

    await user.click(await steady(region.getByRole('button', { name: 'Turn on' })));
    const outcome = await region.findByText('On. New posts appear on marlow.example.');
    expect(document.activeElement).toBe(outcome);
    expect(callsOf('settings.update')).toEqual([{ siteFolder: { ...hugoFolder, on: true } }]);
    expect(await region.findByText('Every post is live on marlow.example.')).toBeTruthy();
    expect(region.queryByRole('button', { name: 'Turn on' })).toBeNull();
  });

  test('in the desktop app, a folder that is chosen in the dialog is checked at once', async () => {
    const handlers = { 'desktop.choosePath': () => ({ path: '/home/robin/chosen' }) };
    const { region, user, callsOf } = await openFolder({ home: 'desktop', handlers });
    await user.click(region.getByRole('button', { name: 'Choose: Folder of your site' }));
    expect(await region.findByRole('region', { name: 'What Porchlight found' })).toBeTruthy();
    expect(callsOf('desktop.choosePath')).toEqual([{ purpose: 'siteFolder' }]);
    expect(callsOf('siteFolder.detect')).toEqual([{ path: '/home/robin/chosen' }]);
    expect(region.getByLabelText<HTMLInputElement>('Folder of your site').value).toBe('/home/robin/chosen');
  });

  test('says beside the field why a path is no folder', async () => {
    const { region, user } = await openFolder({ home: 'browser' });
    const field = await region.findByLabelText('Folder of your site');
    await user.type(field, '/home/robin/porch.jpg{Enter}');
    await region.findByText('This isn’t a folder. Choose the folder of your site.');
    expect(field.getAttribute('aria-invalid')).toBe('true');
    await user.type(field, '/site');
    expect(region.queryByText(/This isn’t a folder/)).toBeNull();
  });

  test('without git, files can only be written; an address that is missing is asked for', async () => {
    const { region } = await checkFolder('/home/robin/plain');
    expect(region.getByText('The folder isn’t in a git repository.')).toBeTruthy();
    expect(region.getByText(/can’t write to drafts/)).toBeTruthy();
    expect(region.getByRole<HTMLInputElement>('radio', { name: 'Commit and push' }).disabled).toBe(true);
    expect(region.getByRole<HTMLInputElement>('radio', { name: 'Write files only' }).checked).toBe(true);
    expect(region.queryByLabelText('Branch')).toBeNull();
    await region.findByText('Enter an address that starts with https://.');
    expect(region.getByLabelText('Address of the site').getAttribute('aria-invalid')).toBe('true');
  });

  test('the owner’s own settings of the same folder stay; suggestions are offered', async () => {
    const house = livedInHouse(now);
    house.settings.siteFolder = { ...hugoFolder, on: false, postUrl: 'mine/{slug}/' };
    const { region, user } = await openFolder({ house, home: 'browser' });
    await user.click(region.getByRole('button', { name: 'Check this folder' }));
    const suggest = await region.findByRole('button', { name: 'Use the suggested settings' });
    const field = region.getByLabelText<HTMLInputElement>('URL of a post');
    expect(field.value).toBe('mine/{slug}/');
    await user.click(suggest);
    expect(field.value).toBe('posts/{slug}/');
    expect(region.queryByRole('button', { name: 'Use the suggested settings' })).toBeNull();
  });

  test('a folder that can’t be turned on says why', async () => {
    const { region, user } = await checkFolder('/home/robin/site', {
      handlers: { 'settings.update': failing('The folder is read-only.') },
    });
    await user.click(await steady(region.getByRole('button', { name: 'Turn on' })));
    expect(await region.findByText('The folder is read-only.')).toBeTruthy();
    expect(region.getByText('Publishing to your own site isn’t on.')).toBeTruthy();
  });
});

describe('the preview', () => {
  test('follows the kind and the fields, and says what is an example', async () => {
    const { region, user } = await openFolder({ house: inState('idle') });
    await user.selectOptions(region.getByLabelText('Kind of post'), 'Photo');
    expect(await region.findByText('static/media/2026/11/fog.jpg')).toBeTruthy();
    await user.click(region.getByRole('radio', { name: 'On your site' }));
    await waitFor(() => expect(region.queryByText('static/media/2026/11/fog.jpg')).toBeNull());
    fireEvent.change(region.getByLabelText('URL of a post'), { target: { value: 'p/{slug}/' } });
    expect(await region.findByText('https://marlow.example/p/a-photo/')).toBeTruthy();
    await user.selectOptions(region.getByLabelText('Kind of post'), 'RSVP');
    expect(await region.findByText(/so this is an example/)).toBeTruthy();
  });

  test('stays unchanged while a field is wrong, and the field says why', async () => {
    const { region } = await openFolder({ house: inState('idle') });
    await region.findByLabelText('Text of the file');
    const field = region.getByLabelText('File of a post');
    fireEvent.change(field, { target: { value: 'content/post.md' } });
    await region.findByText('The file of a post needs {slug} in its name.');
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(region.getByText('content/posts/2026-11-21-a-note.md')).toBeTruthy();
    expect(region.getByText('This is the preview from before your last change.')).toBeTruthy();
    fireEvent.change(field, { target: { value: 'notes/{slug}.md' } });
    expect(await region.findByText('notes/a-note.md')).toBeTruthy();
    expect(field.getAttribute('aria-invalid')).not.toBe('true');
  });
});

describe('publishing that is on', () => {
  test('shows how many older posts are included, and why other files aren’t', async () => {
    const house = inState('idle');
    const { siteFolder } = house.settings;
    const adopting = {
      ...house,
      settings: { ...house.settings, siteFolder: { ...siteFolder, adopt: true } },
    };
    const { region, user } = await openFolder({ house: adopting });
    expect(await region.findByText('211 older posts are included.')).toBeTruthy();
    await user.click(region.getByText('3 files aren’t included'));
    expect(region.getByText('Its front matter can’t be read. (2 files)')).toBeTruthy();
    expect(region.getByText('It has no date.')).toBeTruthy();
    expect(region.getByText('content/posts/old.md')).toBeTruthy();
    await user.click(region.getByRole('switch', { name: /^Include posts that are already/ }));
    expect(region.queryByText('211 older posts are included.')).toBeNull();
  });

  test('changes are saved with the form', async () => {
    const { region, user, callsOf } = await openFolder({ house: inState('idle') });
    await user.click(region.getByRole('radio', { name: 'Commit only' }));
    expect(region.queryByLabelText('Remote')).toBeNull();
    await user.click(region.getByRole('switch', { name: /^Save mentions as data files/ }));
    expect(await region.findByLabelText('the template')).toBeTruthy();
    await user.click(region.getByRole('switch', { name: /^Include posts that are already/ }));
    await user.click(region.getByRole('button', { name: 'Save' }));
    await region.findByText('Saved.');
    expect(callsOf('settings.update')).toEqual([
      { siteFolder: { commit: true, push: false, mentions: 'data', adopt: true } },
    ]);
  });

  test('another folder has to be checked before anything is saved', async () => {
    const { region, user } = await openFolder({ house: inState('idle') });
    await user.type(await region.findByLabelText('Folder of your site'), '2');
    expect(region.queryByRole('button', { name: 'Save' })).toBeNull();
    await user.click(region.getByRole('button', { name: 'Keep the current folder' }));
    expect(region.getByLabelText<HTMLInputElement>('Folder of your site').value).toBe(hugoFolder.path);
    expect(region.getByRole('button', { name: 'Save' })).toBeTruthy();
  });

  test('a conflict names its file before the file is replaced', async () => {
    const { region, user, callsOf } = await openFolder({ house: inState('trouble') });
    await user.click(await region.findByRole('button', { name: 'Replace the file of On porches…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Replace the file?' });
    expect(dialog.textContent).toContain('content/posts/2026-11-21-on-porches.md');
    expect(dialog.textContent).toContain('Git keeps your version of the file');
    await user.click(await steady(within(dialog).getByRole('button', { name: 'Replace the file' })));
    await waitFor(() => expect(region.queryByText('On porches')).toBeNull());
    expect(callsOf('siteFolder.retry')).toEqual([{ id: 'on-porches', replace: true }]);
  });

  test('without git, the owner learns that their version is lost', async () => {
    const house = inState('trouble');
    house.settings.siteFolder = { ...hugoFolder, commit: false, push: false };
    const { region, user } = await openFolder({ house });
    await user.click(await region.findByRole('button', { name: 'Replace the file of On porches…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Replace the file?' });
    expect(dialog.textContent).toContain('Your version of the file is lost.');
    expect(dialog.textContent).not.toContain('Git keeps');
  });

  test('one post or everything is tried again', async () => {
    const { region, user, callsOf } = await openFolder({ house: inState('trouble') });
    await user.click(await region.findByRole('button', { name: /^Try again: Fog over the harbour/ }));
    await waitFor(() => expect(region.queryByText(/Fog over/)).toBeNull());
    await user.click(region.getByRole('button', { name: 'Try again' }));
    await waitFor(() => expect(callsOf('siteFolder.retry')).toEqual([{ id: 'fog' }, {}]));
  });

  test('the state follows the events of the service', async () => {
    const { region, client } = await openFolder({ house: inState('idle') });
    await region.findByText('Every post is live on marlow.example.');
    client.emit({ name: 'siteFolder.changed', data: folderStates.waiting(now) });
    expect((await region.findByText(/A merge is in progress/)).closest('[role=status]')).toBeTruthy();
    expect(region.getAllByText(/^Note \d+$/)).toHaveLength(5);
    fireEvent.click(region.getByRole('button', { name: 'Show all 14' }));
    expect(region.getAllByText(/^Note \d+$/)).toHaveLength(14);
  });

  test('all existing posts are published after the owner has read their number', async () => {
    const { region, user, callsOf } = await openFolder({ house: inState('idle') });
    await user.click(await region.findByRole('button', { name: 'Publish all existing posts…' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Publish 96 posts on marlow.example?' }));
    expect(dialog.getByText(/in one commit/)).toBeTruthy();
    expect(callsOf('siteFolder.publishAll')).toEqual([]);
    await user.click(await steady(dialog.getByRole('button', { name: 'Publish 96 posts' })));
    expect(await screen.findByText('Porchlight is publishing 96 posts.')).toBeTruthy();
    expect(callsOf('siteFolder.publishAll')).toEqual([{}]);
    await waitFor(() =>
      expect(region.queryByRole('button', { name: 'Publish all existing posts…' })).toBeNull(),
    );
    // Every post has been published, so only lost files are left to publish.
    await user.click(region.getByRole('button', { name: 'Write missing files…' }));
    await user.click(await steady(screen.getByRole('button', { name: 'Write missing files' })));
    expect(await screen.findByText('No files of posts are missing.')).toBeTruthy();
  });

  test('before it is turned off, the owner reads what stays', async () => {
    const { region, user, callsOf } = await openFolder({ house: inState('trouble') });
    const part = within(await region.findByRole('region', { name: 'Turn off' }));
    expect(
      part.getByText(/already on marlow\.example stay there.*appear on porch\.marlow\.example/),
    ).toBeTruthy();
    expect(await part.findByText(/The 4 posts that are waiting are published when/)).toBeTruthy();
    await user.click(part.getByRole('button', { name: 'Turn off' }));
    const outcome = await region.findByText('Off. New posts appear on porch.marlow.example.');
    expect(document.activeElement).toBe(outcome);
    expect(callsOf('settings.update')).toEqual([{ siteFolder: { on: false } }]);
    expect(region.getByRole('button', { name: 'Turn on' })).toBeTruthy();
  });

  test('while it is off, changes that wait are shown on its page and at their posts', async () => {
    const on = inState('waiting');
    const [item] = folderStates.trouble(now).items;
    const words = 'Waits until you turn on publishing to this folder.';
    const folder = {
      ...folderStates.off(now),
      words: 'Off. 1 change will be published when you turn it on.',
      waiting: 1,
      items: [{ ...item!, state: 'waiting' as const, words }],
    };
    const { region, user } = await openFolder({
      house: { ...on, settings: { ...on.settings, siteFolder: { ...hugoFolder, on: false } } },
      handlers: { 'siteFolder.status': () => folder },
    });
    expect(await region.findByText(folder.words)).toBeTruthy();
    expect(region.getByText(words)).toBeTruthy();
    expect(region.queryByRole('button', { name: /^Publish all/ })).toBeNull();
    await user.click(screen.getByRole('link', { name: /^Posts/ }));
    expect(await screen.findByRole('button', { name: /The lamp is on.*Waiting/ })).toBeTruthy();
  });
});

describe('other screens name the site', () => {
  test('Overview says where posts appear, and what needs attention', async () => {
    const house = withFolder(quietHouse(now), 'trouble', now);
    const problem = { code: 'site_folder', message: 'The same trouble, as a problem' } as const;
    openWindow({ house: { ...house, status: { ...house.status, problems: [problem] } } });
    expect(await screen.findByText(/Publishing to marlow\.example needs your attention/)).toBeTruthy();
    const link = screen.getByRole('link', { name: 'Show the details' });
    expect(link.getAttribute('href')).toBe('#/settings/site-folder');
    expect(screen.queryByText(problem.message)).toBeNull();
    const site = screen.getByRole('link', { name: 'marlow.example' });
    expect(site.getAttribute('href')).toBe('https://marlow.example/');
  });

  test('Overview says nothing about a folder that is fine, or off', async () => {
    openWindow({ house: withFolder(quietHouse(now), 'waiting', now) });
    await screen.findByText(/Your posts appear on/);
    expect(screen.queryByText(/needs your attention/)).toBeNull();
  });

  test.each([
    ['marlow.example', withFolder(livedInHouse(now), 'idle', now)],
    ['porch.marlow.example', livedInHouse(now)],
  ])('the editor says that everyone reads a post on %s', async (site, house) => {
    const { user } = openWindow({ house, hash: writeHash() });
    await user.click(await screen.findByRole('button', { name: 'Details' }));
    expect(await screen.findByRole('option', { name: `Everyone (on ${site})` })).toBeTruthy();
  });

  test('an empty list of posts says where posts will appear', async () => {
    openWindow({ house: withFolder(quietHouse(now), 'idle', now), hash: '#/posts' });
    expect(await screen.findByText(/Public posts appear on marlow\.example\./)).toBeTruthy();
  });

  test('a post that isn’t live yet says so in the list and when it is open', async () => {
    const { user } = openWindow({ house: inState('trouble'), hash: '#/posts' });
    const row = await screen.findByRole('button', { name: /Fog over.*Late/ });
    expect(screen.getByRole('button', { name: /The lamp is on.*Conflict/ })).toBeTruthy();
    await user.click(row);
    const post = within(await screen.findByRole('dialog'));
    const view = await post.findByRole('link', { name: 'View on marlow.example' });
    expect(view.getAttribute('href')).toBe('https://marlow.example/posts/fog/');
    expect(post.getByText(/^The server answered 404/)).toBeTruthy();
    const link = post.getByRole('link', { name: 'Show all posts that aren’t live' });
    expect(link.getAttribute('href')).toBe('#/settings/site-folder');
  });

  test('a post that was never seen at its URL is building, even if the state doesn’t list it', async () => {
    const house = inState('idle');
    const open = async (liveAt: string | null) => {
      const url = 'https://marlow.example/posts/the-lamp-is-on/';
      const home = { url, file: 'content/posts/x.md', former: [], written: {}, liveAt };
      const item = house.posts.find((post) => post.url === url)!;
      const { path, published, status, visibility } = item;
      const moments = { createdAt: published, updatedAt: published, deletedAt: null };
      const post = { path, type: ['h-entry'], properties: {}, commands: {}, visibility, ...moments, home };
      const whole = { item, post: { ...post, status: status === 'draft' ? status : 'published' } as const };
      openWindow({
        house,
        hash: `#/posts?id=${encodeURIComponent(url)}`,
        handlers: { 'posts.get': () => ({ ...whole, version: '1' }) },
      });
      await screen.findByRole('link', { name: 'View on marlow.example' });
    };
    await open(null);
    expect(await screen.findByText(/isn’t live on marlow\.example yet/)).toBeTruthy();
    document.body.replaceChildren();
    await open('2026-11-21T08:00:00.000Z');
    expect(screen.queryByText(/isn’t live on marlow\.example yet/)).toBeNull();
  });
});
