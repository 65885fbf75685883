import { describe, expect, test } from 'vitest';
import type { SettingsPatch } from '../../../src-main/contract/settings.ts';
import { completeProfile } from '../../../src-main/app/identifying.ts';
import { openSettings } from '../../../src-main/app/settings.ts';
import { documentsIn } from '../../../src-main/storage/document.ts';
import { openPages } from '../../support/client-pages.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const me = 'https://ada.example/';
const onPage = { name: 'Page', url: me, photo: '', email: '' };

/** Completes a profile from a page, while `meanwhile` changes the settings as the page is read. */
async function completed(meanwhile: SettingsPatch) {
  const documents = documentsIn(await temporaryFolder());
  const settings = await openSettings({ documents, allowLoopbackMe: false });
  await settings.update({ profile: { me } });
  const changes: SettingsPatch[] = [];
  const web = openPages();
  web.answers.set(me, {});
  await completeProfile({
    settings,
    fetch: web.fetch,
    async readProfile() {
      await settings.update(meanwhile);
      return onPage;
    },
    allowLoopbackMe: false,
    shown: (all) => all,
    changed: (patch) => void changes.push(patch),
  });
  return { profile: settings.get().profile, changes };
}

describe('a profile that says nothing but the address', () => {
  test('gets the facts on the owner’s page', async () => {
    const { profile, changes } = await completed({});
    expect(profile).toEqual({ me, ...onPage });
    expect(changes).toEqual([{ profile: { me, ...onPage } }]);
  });

  test('keeps the owner’s input while their page is read', async () => {
    const { profile, changes } = await completed({ profile: { name: 'Ada' } });
    expect(profile).toEqual({ me, name: 'Ada', url: '', photo: '', email: '' });
    expect(changes).toEqual([]);
  });

  test('keeps to the address that the owner chooses while their page is read', async () => {
    const other = 'https://eve.example/';
    expect((await completed({ profile: { me: other } })).profile).toMatchObject({ me: other, name: '' });
  });
});
