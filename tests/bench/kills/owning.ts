import { rmSync } from 'node:fs';
import path from 'node:path';
import { page } from '../../support/client-app.ts';
import { post, signInRequest, tokensFor } from '../../support/sign-in.ts';
import { noted, notedOfApp } from './activity.ts';
import { ownApp } from './census.ts';
import { absent } from './ledger.ts';
import { claimed, nameIn, type Lane, type Scene } from './scene.ts';

/** The owner issues tokens and revokes some. */
export const issuing: Lane = async (scene, turn) => {
  const { random, census, ledger, house, tokens } = scene;
  if (census.apps.size < 4 || random.chance(0.5)) {
    const label = nameIn(scene, 'a', turn);
    const acknowledge = [ledger.send(`app ${label}`, 'signed in'), noted(ledger, 'app.tokenIssued', label)];
    const { id, token } = await house.call('apps.issueToken', { label, scopes: ['create'] });
    for (const each of acknowledge) each();
    tokens.set(label, token);
    census.apps.set(label, id);
    return;
  }
  const apps = [...census.apps].filter(([name]) => name !== ownApp);
  const [name, id] = claimed(scene, apps, ([one]) => `app ${one}`) ?? [];
  if (name === undefined || id === undefined) return;
  const acknowledge = [ledger.send(`app ${name}`, absent), noted(ledger, 'app.revoked', name)];
  await house.call('apps.revoke', { id });
  for (const each of acknowledge) each();
  census.apps.delete(name);
};

/** A person signs in at an app, and signs out there again half of the time. */
export const signingIn: Lane = async (scene, turn) => {
  const { random, ledger, house, base, sites, tokens } = scene;
  const [site] = sites;
  if (turn > 0 || site === undefined || !random.chance(0.4)) return;
  const name = nameIn(scene, 'i', turn);
  const html = `<title>${name}</title><div class="h-app"><a class="u-url p-name" href="/${name}/">${name}</a></div>`;
  site.pages.set(`/${name}/`, page(html));
  const acknowledge = [
    ledger.send(`app ${name}`, 'signed in'),
    noted(ledger, 'signIn.approved', name),
    notedOfApp(scene, 'app.signedIn', name),
  ];
  const request = signInRequest(site.origin, { client_id: `${site.origin}/${name}/` });
  const { access_token: token, refresh_token: refresh } = await tokensFor({ ...house, base }, request);
  for (const each of acknowledge) each();
  tokens.set(name, token);
  if (random.chance(0.5)) return;
  const revoked = ledger.send(`app ${name}`, absent);
  const response = await post({ base }, '/revoke', { token: refresh });
  if (response.ok) revoked();
};

/** The owner changes settings. */
export const setting: Lane = async (scene, turn) => {
  const { random, ledger, house } = scene;
  const name = nameIn(scene, 'n', turn);
  const isName = random.chance(0.5);
  const acknowledge = ledger.send(isName ? 'setting name' : 'setting categories', name);
  await house.call('settings.update', isName ? { profile: { name } } : { micropub: { categories: [name] } });
  acknowledge();
};

/** The owner makes a backup, and deletes the one before it. */
export const backingUp: Lane = async (scene, turn) => {
  const { random, ledger, house, backups, census } = scene;
  if (turn > 0 || !random.chance(0.2)) return;
  for (const old of census.backups) {
    rmSync(path.join(backups, old));
    ledger.send(`backup ${old}`, absent)();
  }
  await backUp({ house, ledger, backups }, `${nameIn(scene, 'b', turn)}.zip`);
};

/** Makes a backup. */
export async function backUp(
  { house, ledger, backups }: Pick<Scene, 'house' | 'ledger' | 'backups'>,
  name: string,
): Promise<void> {
  const acknowledge = [ledger.send(`backup ${name}`, 'there'), noted(ledger, 'data.backup', name)];
  await house.call('data.backup', { path: path.join(backups, name) });
  for (const each of acknowledge) each();
}
