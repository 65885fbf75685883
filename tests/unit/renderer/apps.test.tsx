import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { livedInHouse, quietHouse } from '../../support/window-fixtures.ts';
import { failing, openWindow, steady } from './open-window.tsx';

const hash = '#/apps';
const dialog = () => within(screen.getByRole('dialog'));

describe('the apps', () => {
  test('each shows its name, its last use and its permissions', async () => {
    openWindow({ hash });
    const row = (await screen.findByText('Quill')).closest('li');
    expect(row?.textContent).toContain(
      'quill.example · signed in 1 hour ago from Firefox on Windows · last used 12 minutes ago',
    );
    expect(row?.textContent).toContain(
      'Publish posts and drafts, upload files, and see the posts and files it added create',
    );
    expect(screen.getByText('Backup script').closest('li')?.textContent).toContain('not used yet');
  });

  test('one that Porchlight has signed out says that it must sign in again, and can be removed', async () => {
    const house = livedInHouse(Date.now());
    const apps = house.apps.map((app) => ({ ...app, mustSignInAgain: true as const }));
    const { user, callsOf } = openWindow({ hash, house: { ...house, apps } });
    const row = (await screen.findByText('Quill')).closest('li');
    expect(row?.textContent).toContain('Must sign in again');
    expect(screen.getByText('Backup script').closest('li')?.textContent).toContain('Create a new token');
    await user.click(screen.getByRole('button', { name: 'More actions for Quill' }));
    expect(screen.queryByRole('menuitem', { name: 'Rename…' })).toBeNull();
    await user.keyboard('{Escape}');
    await user.click(screen.getByRole('button', { name: 'Remove Quill' }));
    await user.click(await steady(dialog().getByRole('button', { name: 'Remove' })));
    expect(await screen.findByText('Quill is removed.')).toBeTruthy();
    expect(callsOf('apps.revoke')).toEqual([{ id: 'app-1' }]);
  });

  test('one that writes posts can be said to send Markdown, for all its sign-ins', async () => {
    const { user, callsOf } = openWindow({ hash });
    const toggle = await screen.findByRole('switch', { name: 'Quill sends Markdown', hidden: true });
    expect((toggle as HTMLInputElement).checked).toBe(false);
    await user.click(toggle);
    expect(callsOf('settings.update')).toEqual([{ posting: { appsMarkdown: ['https://quill.example/'] } }]);
    await waitFor(() => expect((toggle as HTMLInputElement).checked).toBe(true));
    await user.click(await steady(toggle));
    expect(callsOf('settings.update').at(-1)).toEqual({ posting: { appsMarkdown: [] } });
    expect(screen.queryByRole('switch', { name: /Wiki on my phone/, hidden: true })).toBeNull();
  });

  test('NM09 a token made by hand can be said to send Markdown, for itself alone', async () => {
    const { user, callsOf } = openWindow({ hash });
    const toggle = await screen.findByRole('switch', { name: 'Backup script sends Markdown', hidden: true });
    await user.click(toggle);
    expect(callsOf('settings.update')).toEqual([{ posting: { appsMarkdown: ['app-3'] } }]);
    await waitFor(() => expect((toggle as HTMLInputElement).checked).toBe(true));
  });

  test('one is signed out only after a question that names it', async () => {
    const { user, callsOf } = openWindow({ hash });
    await user.click(await screen.findByRole('button', { name: 'Sign out Quill' }));
    expect(screen.getByRole('dialog', { name: /^Sign out\s+Quill\s*\?$/ })).toBeTruthy();
    expect(callsOf('apps.revoke')).toEqual([]);
    await user.click(await steady(dialog().getByRole('button', { name: 'Sign out' })));
    await screen.findByText('Quill is signed out.');
    expect(callsOf('apps.revoke')).toEqual([{ id: 'app-1' }]);
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Sign out Quill' })).toBeNull());
  });

  test('an app stays signed in if the owner cancels', async () => {
    const { user, callsOf } = openWindow({ hash });
    await user.click(await screen.findByRole('button', { name: 'Sign out Quill' }));
    await user.click(dialog().getByRole('button', { name: 'Cancel' }));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(callsOf('apps.revoke')).toEqual([]);
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Sign out Quill' }));
  });

  test('a failed sign-out says why, in the question', async () => {
    const { user } = openWindow({ hash, handlers: { 'apps.revoke': failing('The disk is full.') } });
    await user.click(await screen.findByRole('button', { name: 'Sign out Quill' }));
    await user.click(await steady(dialog().getByRole('button', { name: 'Sign out' })));
    expect((await dialog().findByRole('alert')).textContent).toContain('The disk is full.');
  });

  test('one whose sign-out isn’t on disk yet is shown as signed out, and not saved', async () => {
    const house = livedInHouse(Date.now());
    const message =
      'Not saved yet: the disk is full. Quill is signed out. This already applies, but a crash of Porchlight or the computer would undo it. Porchlight saves it as soon as it can.';
    const { user } = openWindow({
      hash,
      house,
      handlers: {
        'apps.revoke': ({ id }) => {
          house.apps = house.apps.filter((app) => app.id !== id);
          house.status = { ...house.status, problems: [{ code: 'not_saved', message }] };
          return { id, saved: false };
        },
      },
    });
    await user.click(await screen.findByRole('button', { name: 'Sign out Quill' }));
    await user.click(await steady(dialog().getByRole('button', { name: 'Sign out' })));
    await screen.findByText('Quill is signed out.');
    const note = await screen.findByText(message);
    expect(note.closest('[role="alert"]')).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Sign out Quill' })).toBeNull());
  });

  test('two apps of the same name can be renamed, and get their own names back', async () => {
    const { user, callsOf } = openWindow({ hash });
    const rename = async (app: string) => {
      await user.click(await screen.findByRole('button', { name: `More actions for ${app}` }));
      await user.click(await screen.findByRole('menuitem', { name: 'Rename…' }));
    };
    await rename('Quill');
    expect(screen.getByRole('dialog', { name: /^Rename\s+Quill$/ })).toBeTruthy();
    await user.type(dialog().getByLabelText('Name'), ' Quill at work ');
    await user.click(dialog().getByRole('button', { name: 'Save' }));
    await screen.findByText('Renamed to Quill at work.');
    expect(callsOf('apps.rename')).toEqual([{ id: 'app-1', name: 'Quill at work' }]);
    const row = (await screen.findByText('Quill at work', { selector: 'bdi' })).closest('li');
    expect(row?.textContent).toContain('The app calls itself Quill.');

    await rename('Quill at work');
    await user.clear(dialog().getByLabelText('Name'));
    await user.keyboard('{Enter}');
    await screen.findByText('Renamed to Quill.');
    const more = await screen.findByRole('button', { name: 'More actions for Quill' });
    await waitFor(() => expect(document.activeElement).toBe(more));
  });

  test('the app that the link names has the focus', async () => {
    openWindow({ hash: '#/apps?id=app-3' });
    const row = (await screen.findByText('Backup script')).closest('li');
    await waitFor(() => expect(document.activeElement).toBe(row));
  });

  test('none yet: says what to do, and where to find apps', async () => {
    openWindow({ hash, house: quietHouse(Date.now()) });
    expect(await screen.findByText(/No app is signed in yet/)).toBeTruthy();
    const link = screen.getByRole('link', { name: 'Find apps' });
    expect([link.getAttribute('target'), link.getAttribute('rel')]).toEqual([
      '_blank',
      'noopener noreferrer',
    ]);
  });
});

describe('a token made by hand', () => {
  test('has the chosen label, scopes and lifetime, and is shown once', async () => {
    const { user, callsOf } = openWindow({ hash });
    await user.click(await screen.findByRole('button', { name: 'Create a token' }));
    await user.type(dialog().getByLabelText('What is the token for?'), ' Backup ');
    await user.click(dialog().getByRole('checkbox', { name: /create/ }));
    await user.click(dialog().getByRole('checkbox', { name: /media/ }));
    await user.selectOptions(dialog().getByLabelText('Access ends'), '1 day');
    await user.click(dialog().getByRole('button', { name: 'Create token' }));

    expect(await dialog().findByText(/pl_c2hvd24tdGhpcy1vbmNl/)).toBeTruthy();
    expect(dialog().getByRole('button', { name: 'Copy the token' })).toBeTruthy();
    expect(callsOf('apps.issueToken')).toEqual([
      { label: 'Backup', scopes: ['create', 'media'], expiresIn: 86_400 },
    ]);

    await user.keyboard('{Escape}');
    expect(dialog().getByText(/pl_c2hvd24tdGhpcy1vbmNl/)).toBeTruthy();
    await user.click(dialog().getByRole('button', { name: 'I have copied it' }));
    expect(document.body.textContent).not.toContain('pl_c2hvd24tdGhpcy1vbmNl');
    await user.click(screen.getByRole('button', { name: 'Create a token' }));
    expect(document.body.textContent).not.toContain('pl_c2hvd24tdGhpcy1vbmNl');
  });

  test('for an assistant has its permissions, and is offered while assistants are on', async () => {
    const house = livedInHouse(Date.now());
    house.settings = { ...house.settings, assistants: { on: true } };
    const { user, callsOf } = openWindow({ hash, house });
    await user.click(await screen.findByRole('button', { name: 'Create a token' }));
    await user.type(dialog().getByLabelText('What is the token for?'), 'Notes');
    await user.click(await dialog().findByRole('checkbox', { name: /create/ }));
    await user.click(dialog().getByRole('checkbox', { name: 'For an assistant' }));
    await user.click(await dialog().findByRole('checkbox', { name: /change the drafts that it wrote/ }));
    expect(dialog().queryByRole('checkbox', { name: /update/ })).toBeNull();
    await user.click(dialog().getByRole('button', { name: 'Create token' }));
    expect(callsOf('apps.issueToken')).toEqual([{ label: 'Notes', scopes: ['draft'], assistant: true }]);
  });

  test('is not made without a label and at least one scope', async () => {
    const { user, callsOf } = openWindow({ hash });
    await user.click(await screen.findByRole('button', { name: 'Create a token' }));
    await user.click(dialog().getByRole('button', { name: 'Create token' }));
    expect(dialog().getByText(/Enter a name/)).toBeTruthy();
    expect(dialog().getByText(/Choose at least one/)).toBeTruthy();
    expect(callsOf('apps.issueToken')).toEqual([]);
  });

  test('gives email only with profile', async () => {
    const { user } = openWindow({ hash });
    await user.click(await screen.findByRole('button', { name: 'Create a token' }));
    const box = (name: RegExp) => dialog().getByRole<HTMLInputElement>('checkbox', { name });
    expect(box(/email/).disabled).toBe(true);
    await user.click(box(/profile/));
    await user.click(box(/email/));
    expect(box(/email/).checked).toBe(true);
    await user.click(box(/profile/));
    expect(box(/email/).checked).toBe(false);
  });

  test('that could not be made says why and keeps the input', async () => {
    const { user } = openWindow({ hash, handlers: { 'apps.issueToken': failing('No key.') } });
    await user.click(await screen.findByRole('button', { name: 'Create a token' }));
    await user.type(dialog().getByLabelText('What is the token for?'), 'Backup');
    await user.click(dialog().getByRole('checkbox', { name: /create/ }));
    await user.click(dialog().getByRole('button', { name: 'Create token' }));
    expect((await dialog().findByRole('alert')).textContent).toContain('No key.');
    expect(dialog().getByLabelText<HTMLInputElement>('What is the token for?').value).toBe('Backup');
  });
});
