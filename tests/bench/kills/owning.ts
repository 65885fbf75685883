import { rmSync } from 'node:fs';
import path from 'node:path';
import { page } from '../../support/client-app.ts';
import { post, signInRequest, tokensFor } from '../../support/sign-in.ts';
import { ownApp } from './census.ts';
import { absent } from './ledger.ts';
import { claimed, nameIn, type Lane } from './scene.ts';

/** The owner issues tokens and revokes some. */
export const issuing: Lane = async (scene, turn) => {
  const { random, census, ledger, house, tokens } = scene;
  if (census.apps.size < 4 || random.chance(0.5)) {
    const label = nameIn(scene, 'a', turn);
    const acknowledge = ledger.send(`app ${label}`, 'signed in');
    const { id, token } = await house.call('apps.issueToken', { label, scopes: ['create'] });
    acknowledge();
    tokens.set(label, token);
    census.apps.set(label, id);
    return;
  }
  const apps = [...census.apps].filter(([name]) => name !== ownApp);
  const [name, id] = claimed(scene, apps, ([one]) => `app ${one}`) ?? [];
  if (name === undefined || id === undefined) return;
  const acknowledge = ledger.send(`app ${name}`, absent);
  await house.call('apps.revoke', { id });
  acknowledge();
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
  const acknowledge = ledger.send(`app ${name}`, 'signed in');
  const request = signInRequest(site.origin, { client_id: `${site.origin}/${name}/` });
  const { access_token: token, refresh_token: refresh } = await tokensFor({ ...house, base }, request);
  acknowledge();
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
  const name = `${nameIn(scene, 'b', turn)}.zip`;
  const acknowledge = ledger.send(`backup ${name}`, 'there');
  await house.call('data.backup', { path: path.join(backups, name) });
  acknowledge();
};
