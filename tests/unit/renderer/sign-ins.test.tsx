import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import type { SignIn } from '../../../src-main/contract/sign-ins.ts';
import { quietHouse, waitingSignIn } from '../../support/window-fixtures.ts';
import { failing, openWindow, steady } from './open-window.tsx';

const now = Date.now();
const atTheDoor = () => ({ ...quietHouse(now), signIns: [waitingSignIn(now)] });
const card = () =>
  screen.findByRole('region', { name: /^Sign in to\s+Indigenous\s+\(\s*indigenous\.example\s*\)\s*\?$/ });
const box = (name: RegExp) => screen.getByRole<HTMLInputElement>('checkbox', { name });

const approvedOnPhone = {
  id: 'sign-in-1',
  at: new Date(now).toISOString(),
  outcome: 'approved' as const,
  clientId: 'https://indigenous.example/client.json',
  clientName: 'Indigenous',
  scopes: [],
  by: 'Ada’s phone',
};

describe('a sign-in that waits', () => {
  test('shows who asks, the match code, the whole client_id and where the answer goes', async () => {
    openWindow({ house: atTheDoor(), hash: '#/sign-ins' });
    const { textContent } = await card();
    for (const part of [
      'Indigenous',
      'Sign in to Indigenous (indigenous.example)?',
      'The request comes from Firefox on Windows.',
      '42',
      'https://indigenous.example/client.json',
      'https://indigenous.example/callback',
      'minutes left',
    ]) {
      expect(textContent).toContain(part);
    }
  });

  test('shows every requested scope, one that nobody knows too (Micropub 5.4)', async () => {
    const signIn = waitingSignIn(now, { scopes: ['profile', 'brew:coffee'] });
    openWindow({ house: { ...quietHouse(now), signIns: [signIn] }, hash: '#/sign-ins' });
    await card();
    expect(screen.getAllByRole('checkbox')).toHaveLength(2);
    expect(box(/Nothing on this server.*brew:coffee/).checked).toBe(true);
  });

  test('is approved with exactly the ticked scopes and the chosen lifetime', async () => {
    const { user, callsOf } = openWindow({ house: atTheDoor(), hash: '#/sign-ins' });
    await card();
    await user.click(box(/create/));
    await user.click(box(/channels/));
    await user.selectOptions(screen.getByLabelText('Stay signed in'), '30 days');
    await user.click(await steady(screen.getByRole('button', { name: 'Approve' })));
    await screen.findByText(/Approved:/);
    expect(callsOf('signIns.approve')).toEqual([
      { id: 'sign-in-1', scopes: ['profile', 'email', 'media'], expiresIn: 2_592_000 },
    ]);
  });

  test('describes its button with the code to compare, for those who hear the screen', async () => {
    openWindow({ house: atTheDoor(), hash: '#/sign-ins' });
    await card();
    const { matchCode } = waitingSignIn(now);
    const description = new RegExp(`^Code ${matchCode} .*Approve only if .* the codes match`);
    expect(screen.getByRole('button', { name: 'Approve', description })).toBeTruthy();
  });

  test('is approved without an end if the owner chooses none', async () => {
    const { user, callsOf } = openWindow({ house: atTheDoor(), hash: '#/sign-ins' });
    await card();
    await user.click(await steady(screen.getByRole('button', { name: 'Approve' })));
    await screen.findByText(/Approved:/);
    expect(callsOf('signIns.approve')).toEqual([
      { id: 'sign-in-1', scopes: ['profile', 'email', 'create', 'media', 'channels'] },
    ]);
  });

  test('IA-65 email goes only with profile', async () => {
    const { user, callsOf } = openWindow({ house: atTheDoor(), hash: '#/sign-ins' });
    await card();
    await user.click(box(/profile/));
    expect(box(/email/).checked).toBe(false);
    expect(box(/email/).disabled).toBe(true);
    await user.click(await steady(screen.getByRole('button', { name: 'Approve' })));
    await screen.findByText(/Approved:/);
    expect(callsOf('signIns.approve')).toEqual([
      { id: 'sign-in-1', scopes: ['create', 'media', 'channels'] },
    ]);
  });

  test('email that is asked for without profile can’t be given', async () => {
    const signIn = waitingSignIn(now, { scopes: ['email'] });
    openWindow({ house: { ...quietHouse(now), signIns: [signIn] }, hash: '#/sign-ins' });
    await card();
    expect(box(/email/).checked).toBe(false);
    expect(box(/email/).disabled).toBe(true);
  });

  test('that asks for nothing says so, and gives nothing', async () => {
    const signIn = waitingSignIn(now, { scopes: [] });
    const house = { ...quietHouse(now), signIns: [signIn] };
    const { user, callsOf } = openWindow({ house, hash: '#/sign-ins' });
    await screen.findByText(/learns your address and nothing else/);
    await user.click(await steady(screen.getByRole('button', { name: 'Approve' })));
    await screen.findByText(/Approved:/);
    expect(callsOf('signIns.approve')).toEqual([{ id: 'sign-in-1', scopes: [] }]);
  });

  test('lights up where it was once it is approved, and only then', async () => {
    const signIns = [waitingSignIn(now), waitingSignIn(now, { id: 'other', clientName: 'Other' })];
    const { user } = openWindow({ house: { ...quietHouse(now), signIns }, hash: '#/sign-ins' });
    const card = async (app: RegExp) => within(await screen.findByRole('region', { name: app }));
    const press = async (app: RegExp, name: string) =>
      user.click(await steady((await card(app)).getByRole('button', { name })));
    await press(/Indigenous/, 'Approve');
    expect((await screen.findByText(/^Approved:/)).closest('[class*="glow"]')).toBeTruthy();
    await press(/Other/, 'Deny');
    expect((await screen.findByText(/^Denied:/)).closest('[class*="glow"]')).toBeNull();
  });

  test('is denied with one click, and tells what became of it', async () => {
    const { user, callsOf } = openWindow({ house: atTheDoor(), hash: '#/sign-ins' });
    await card();
    await user.click(await steady(screen.getByRole('button', { name: 'Deny' })));
    const outcome = await screen.findByText(/Denied:/);
    expect(callsOf('signIns.deny')).toEqual([{ id: 'sign-in-1' }]);
    expect(outcome.closest('[role=status]')).toBe(document.activeElement);
  });

  test('stays where an answer fails, with the reason beside it', async () => {
    const handlers = { 'signIns.approve': failing('The disk is full.') };
    const { user } = openWindow({ house: atTheDoor(), handlers, hash: '#/sign-ins' });
    const region = await card();
    await user.click(await steady(screen.getByRole('button', { name: 'Approve' })));
    expect((await within(region).findByRole('alert')).textContent).toContain('The disk is full.');
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Approve' }).disabled).toBe(false);
  });

  test('shows its warnings in words', async () => {
    const signIn = waitingSignIn(now, { warnings: ['This app does not use PKCE.'] });
    openWindow({ house: { ...quietHouse(now), signIns: [signIn] }, hash: '#/sign-ins' });
    expect((await card()).textContent).toContain('This app does not use PKCE.');
  });

  test('a name made of hidden characters is replaced by the host', async () => {
    const signIn = waitingSignIn(now, { clientName: '\u202E\u200B' });
    openWindow({ house: { ...quietHouse(now), signIns: [signIn] }, hash: '#/sign-ins' });
    expect(
      await screen.findByRole('region', { name: /^Sign in to\s+indigenous\.example\s*\?$/ }),
    ).toBeTruthy();
  });

  test('a logo that is not a data: URL is not loaded', async () => {
    const signIn = waitingSignIn(now, { clientLogo: 'https://tracker.example/logo.png' });
    openWindow({ house: { ...quietHouse(now), signIns: [signIn] }, hash: '#/sign-ins' });
    expect((await card()).querySelector('img')).toBeNull();
  });
});

describe('the sign-ins screen', () => {
  test('takes the owner to the one that was asked for', async () => {
    const signIns = [waitingSignIn(now), waitingSignIn(now, { id: 'other/1', clientName: 'Other' })];
    openWindow({ house: { ...quietHouse(now), signIns }, hash: '#/sign-ins?id=other%2F1' });
    const heading = await screen.findByRole('heading', {
      name: /^Sign in to\s+Other\s+\(\s*indigenous\.example\s*\)\s*\?$/,
    });
    await waitFor(() => expect(document.activeElement).toBe(heading));
  });

  test('takes the owner there from another screen too', async () => {
    const signIns = [waitingSignIn(now), waitingSignIn(now, { id: 'other/1', clientName: 'Other' })];
    openWindow({ house: { ...quietHouse(now), signIns }, hash: '#/activity' });
    await screen.findByRole('heading', { level: 1, name: 'Activity' });
    window.location.hash = '#/sign-ins?id=other%2F1';
    const heading = await screen.findByRole('heading', {
      name: /^Sign in to\s+Other\s+\(\s*indigenous\.example\s*\)\s*\?$/,
    });
    await waitFor(() => expect(document.activeElement).toBe(heading));
  });

  test('says that the requested one is over', async () => {
    openWindow({ house: quietHouse(now), hash: '#/sign-ins?id=long-gone' });
    expect(await screen.findByText('This sign-in is no longer waiting for approval.')).toBeTruthy();
  });

  test('a new sign-in comes in live, and is announced', async () => {
    const { client, house } = openWindow({ house: quietHouse(now), hash: '#/sign-ins' });
    await screen.findByText(/No sign-in is waiting/);
    house.signIns = [waitingSignIn(now)];
    client.emit({ name: 'signIn.requested', data: house.signIns[0]! });
    expect(await card()).toBeTruthy();
    expect(screen.getByRole('status', { name: 'Announcements' }).textContent).toBe(
      'New sign-in: Indigenous at indigenous.example, code 42.',
    );
  });

  test('one that comes while the first list is on its way is shown', async () => {
    const house = quietHouse(now);
    let answerFirst: (list: SignIn[]) => void = () => undefined;
    const answers = [new Promise<SignIn[]>((resolve) => (answerFirst = resolve))];
    const handlers = { 'signIns.list': () => answers.shift() ?? Promise.resolve(house.signIns) };
    const { client, callsOf } = openWindow({ house, handlers, hash: '#/sign-ins' });
    await waitFor(() => expect(callsOf('signIns.list')).toHaveLength(1));
    house.signIns = [waitingSignIn(now)];
    client.emit({ name: 'signIn.requested', data: house.signIns[0]! });
    answerFirst([]);
    expect(await card()).toBeTruthy();
  });

  test('one that ends elsewhere leaves a line in its place, and the history has it', async () => {
    const { client, house } = openWindow({ house: atTheDoor(), hash: '#/sign-ins' });
    await card();
    house.signIns = [];
    house.history = [
      {
        id: 'sign-in-1',
        at: new Date(now).toISOString(),
        outcome: 'expired',
        clientId: 'https://indigenous.example/client.json',
        clientName: 'Indigenous',
        scopes: [],
        by: 'computer',
      },
    ];
    client.emit({ name: 'signIn.settled', data: { id: 'sign-in-1', outcome: 'expired' } });
    expect((await screen.findByText(/^Expired:/, { selector: 'p' })).textContent).toBe('Expired: Indigenous');
    expect(screen.queryByRole('button', { name: 'Approve' })).toBeNull();
    expect(await screen.findByText(/Not answered in time/)).toBeTruthy();
  });

  test('one that a phone approved says so in the place of its card, with Undo', async () => {
    const { client, house, user, callsOf } = openWindow({ house: atTheDoor(), hash: '#/sign-ins' });
    (await steady(within(await card()).getByRole('button', { name: 'Deny' }))).focus();
    house.signIns = [];
    house.history = [{ ...approvedOnPhone, canUndo: true }];
    client.emit({
      name: 'signIn.settled',
      data: { id: 'sign-in-1', outcome: 'approved', by: 'Ada’s phone' },
    });
    const line = (await screen.findByText('Approved on Ada’s phone')).closest<HTMLElement>('[role=status]');
    expect(line?.querySelector('p')?.textContent).toBe('Approved on Ada’s phone: Indigenous');
    expect(document.activeElement).toBe(line);
    expect(screen.getByRole('status', { name: 'Announcements' }).textContent).toBe(
      'Approved on Ada’s phone: Indigenous at indigenous.example, code 42.',
    );
    const undo = await within(line!).findByRole('button', { name: 'Undo the sign-in to Indigenous' });
    await user.tab();
    expect(document.activeElement).toBe(undo);
    await user.keyboard('{Enter}');
    expect(callsOf('signIns.undo')).toEqual([]);
    await steady(undo);
    await user.keyboard('{Enter}');
    await within(line!).findByText('The app has no access any more.');
    expect(callsOf('signIns.undo')).toEqual([{ id: 'sign-in-1' }]);
    expect(within(line!).queryByRole('button')).toBeNull();
    expect(document.activeElement).toBe(line);
  });

  test('one that was approved here has no Undo in its place', async () => {
    const { client, house } = openWindow({ house: atTheDoor(), hash: '#/sign-ins' });
    await card();
    house.signIns = [];
    house.history = [{ ...approvedOnPhone, by: 'computer', canUndo: true }];
    client.emit({ name: 'signIn.settled', data: { id: 'sign-in-1', outcome: 'approved' } });
    const title = await screen.findByText(/^Approved:/, { selector: 'p' });
    await screen.findByRole('button', { name: 'Undo the sign-in to Indigenous' });
    expect(within(title.closest<HTMLElement>('[role=status]')!).queryByRole('button')).toBeNull();
  });

  test('one that its browser asked again for leaves a line, is announced, and the new one comes at the end', async () => {
    const signIns = [waitingSignIn(now), waitingSignIn(now, { id: 'own', clientName: 'Own' })];
    const { client, house, user } = openWindow({
      house: { ...quietHouse(now), signIns },
      hash: '#/sign-ins',
    });
    await card();
    const own = within(
      screen.getByRole('region', { name: /^Sign in to\s+Own\s+\(\s*indigenous\.example\s*\)\s*\?$/ }),
    );
    await user.click(own.getByRole('checkbox', { name: /create/ }));
    await user.selectOptions(own.getByLabelText('Stay signed in'), '30 days');
    house.signIns = [signIns[1]!, waitingSignIn(now, { id: 'again' })];
    client.emit({ name: 'signIn.settled', data: { id: 'sign-in-1', outcome: 'expired', replaced: true } });
    await waitFor(() =>
      expect(screen.getByRole('status', { name: 'Announcements' }).textContent).toBe(
        'Started again: Indigenous at indigenous.example, code 42.',
      ),
    );
    client.emit({ name: 'signIn.requested', data: house.signIns[1]! });
    await card();
    const order = screen
      .getAllByText(/^Started again:|^Approve$/, { selector: 'p, button *' })
      .map(({ textContent }) => textContent);
    expect(order).toEqual(['Started again: Indigenous', 'Approve', 'Approve']);
    expect(own.getByRole<HTMLInputElement>('checkbox', { name: /create/ }).checked).toBe(false);
    expect(own.getByLabelText<HTMLSelectElement>('Stay signed in').value).toBe('2592000');
  });

  test('one that made room for a newer one of another network says so', async () => {
    const { client, house } = openWindow({
      house: { ...quietHouse(now), signIns: [waitingSignIn(now)] },
      hash: '#/sign-ins',
    });
    await card();
    house.signIns = [];
    const data = { id: 'sign-in-1', outcome: 'expired', replaced: true, madeRoom: true } as const;
    client.emit({ name: 'signIn.settled', data });
    expect((await screen.findByText(/^Replaced:/, { selector: 'p' })).textContent).toBe(
      'Replaced: Indigenous',
    );
    expect(screen.getByText('A newer sign-in took its place.')).toBeTruthy();
    expect(screen.queryByText(/This browser started/)).toBeNull();
    expect(screen.getByRole('status', { name: 'Announcements' }).textContent).toBe(
      'Replaced: Indigenous at indigenous.example, code 42.',
    );
  });

  test('one that was cancelled in its browser says so in the place of its card', async () => {
    const { client, house } = openWindow({
      house: { ...quietHouse(now), signIns: [waitingSignIn(now)] },
      hash: '#/sign-ins',
    });
    await card();
    house.signIns = [];
    client.emit({ name: 'signIn.settled', data: { id: 'sign-in-1', outcome: 'expired', cancelled: true } });
    expect((await screen.findByText(/^Cancelled:/, { selector: 'p' })).textContent).toBe(
      'Cancelled: Indigenous',
    );
    expect(
      screen.getByText('The sign-in was cancelled in the browser. The app gets no access.'),
    ).toBeTruthy();
    expect(screen.getByRole('status', { name: 'Announcements' }).textContent).toBe(
      'Cancelled: Indigenous at indigenous.example, code 42.',
    );
  });

  test('the focus stays in the place of a card that ends, and never lands on another card’s Approve', async () => {
    const signIns = [waitingSignIn(now), waitingSignIn(now, { id: 'other', clientName: 'Other' })];
    const { client, house, user, callsOf } = openWindow({
      house: { ...quietHouse(now), signIns },
      hash: '#/sign-ins',
    });
    const approve = within(await card()).getByRole('button', { name: 'Approve' });
    (await steady(approve)).focus();
    house.signIns = [signIns[1]!];
    client.emit({ name: 'signIn.settled', data: { id: 'sign-in-1', outcome: 'expired' } });
    const line = (await screen.findByText(/^Expired:/, { selector: 'p' })).closest('[role=status]');
    expect(document.activeElement).toBe(line);
    await user.keyboard('{Enter}{Enter} ');
    expect(callsOf('signIns.approve')).toEqual([]);
  });

  test('a click on a card that just came approves nothing, and says so', async () => {
    const { user, callsOf } = openWindow({ house: atTheDoor(), hash: '#/sign-ins' });
    const approve = within(await card()).getByRole('button', { name: 'Approve' });
    await user.dblClick(approve);
    expect(callsOf('signIns.approve')).toEqual([]);
    expect(screen.getByRole('alert').textContent).toBe('This moved. Check the code, then click again.');
    await user.click(await steady(approve));
    await screen.findByText(/Approved:/);
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('one that was answered before the owner came for it says how it ended', async () => {
    const past = {
      id: 'early',
      at: new Date(now).toISOString(),
      outcome: 'approved' as const,
      clientId: 'https://quill.example/',
      clientName: 'Quill',
      scopes: [],
      by: 'computer',
    };
    openWindow({ house: { ...quietHouse(now), history: [past] }, hash: '#/sign-ins?id=early' });
    const line = await screen.findByText(/^Approved:/);
    expect(line.textContent).toBe('Approved: Quill. Go back to your browser.');
    expect(screen.queryByText(/no longer waiting/)).toBeNull();
  });

  test('says why the list can’t be read, and reads it when told to', async () => {
    let down = true;
    const handlers = {
      'signIns.list': () => (down ? failing('The service rests.')() : Promise.resolve([waitingSignIn(now)])),
    };
    const { user } = openWindow({ house: quietHouse(now), handlers, hash: '#/sign-ins' });
    expect((await screen.findByRole('alert')).textContent).toContain('The service rests.');
    down = false;
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await card()).toBeTruthy();
  });
});
