import { Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, type ReactElement } from 'react';
import { windowUploadBytes } from '../../../src-main/contract/media.ts';
import { settingAreas, type Profile } from '../../../src-main/contract/settings.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { AppMark } from '../../ui/app-mark.tsx';
import { base64Of } from '../../ui/file-content.ts';
import { hostIn } from '../../ui/plain-text.ts';
import { profileUrl } from '../../ui/profile-url.ts';
import { ErrorNote } from '../../ui/states.tsx';
import { settingId } from './setting-field.tsx';
import { AreaForm, useSettingsForm } from './settings-form.tsx';

const rows = settingAreas.profile;

const words = {
  read: 'Read from my site',
  aboutRead: 'Fills in what your home page says about you. Nothing changes until you save.',
  nothingNew: (host: string) => `${host} says nothing new.`,
  found: (host: string, labels: readonly string[]) =>
    `Found on ${host}: ${labels.join(', ')}. Check the fields, then save.`,
  notRead: 'Porchlight couldn’t read your home page.',
};

/** The words of photos of the owner. */
export const photoWords = {
  elsewhere: 'Your photo is on another server, so your home page doesn’t show it. Upload it to fix this.',
  found: 'Porchlight copies the photo from your site when you save.',
  upload: 'Upload a photo',
  replace: 'Replace photo',
  remove: 'Remove photo',
  chooser: 'Choose a photo',
  tooLarge: `The file is larger than ${windowUploadBytes / 1_000_000} MB. Choose a smaller picture.`,
  uploadFailed: 'Porchlight couldn’t save the photo.',
  removeFailed: 'Porchlight couldn’t remove the photo.',
  saved: 'Photo saved.',
  removed: 'Photo removed.',
};

/** Edits who the owner is. Text that is typed or read from the site stays a draft until it is saved. */
export function ProfileForm({ profile }: { profile: Profile }): ReactElement {
  const form = useSettingsForm('profile', profile);
  const read = useAction('profile.read');
  const { shown, draft, change, judge } = form;
  // A domain that nobody changed is sent exactly as it is saved: only the service may judge it.
  const domain =
    draft.me === undefined && profile.me !== null ? { url: profile.me } : profileUrl(shown.me ?? '');
  const readSite = () => {
    if ('problem' in domain) {
      judge();
      return;
    }
    form.clearError();
    read.mutate({ url: domain.url }, { onSuccess: (found) => change(newIn(found, profile)) });
  };
  return (
    <AreaForm
      page="profile"
      form={form}
      problems={'problem' in domain ? { me: domain.problem } : {}}
      tidied={draft.me === undefined || 'problem' in domain ? draft : { ...draft, me: domain.url }}
      onEnd={read.reset}
      fields={{ photo: <OwnerPhoto profile={profile} found={draft.photo !== undefined} /> }}
    >
      <div>
        <Button variant="default" size="xs" loading={read.isPending} onClick={readSite}>
          {words.read}
        </Button>
        <Text role="status" size="sm" c="dimmed" mt={4}>
          {read.data ? readWords(hostIn(read.variables.url), newIn(read.data, profile)) : words.aboutRead}
        </Text>
      </div>
      <ErrorNote error={read.error} doing={words.notRead} />
    </AreaForm>
  );
}

/** Returns what the site says that is new. The domain stays the owner's choice. */
function newIn(found: Profile, known: Profile): Partial<Profile> {
  const news: Partial<Profile> = {};
  for (const name of ['name', 'url', 'photo', 'email'] as const) {
    if (found[name] !== '' && found[name] !== known[name]) news[name] = found[name];
  }
  return news;
}

function readWords(host: string, news: Partial<Profile>): string {
  const labels = Object.keys(news).map((name) => rows[name as keyof Profile].label.toLowerCase());
  return labels.length === 0 ? words.nothingNew(host) : words.found(host, labels);
}

interface PhotoProps {
  readonly profile: Profile;
  /** True where the form holds a photo from the owner's site that isn't saved yet. */
  readonly found: boolean;
}

/** The owner's photo: seen, uploaded, replaced and removed. It is saved at once, apart from the form around it. */
function OwnerPhoto({ profile, found }: PhotoProps): ReactElement {
  const resetFile = useRef<() => void>(null);
  const photo = useAnswer('profile.photo', {}).data?.dataUrl ?? null;
  const set = useAction('profile.setPhoto');
  const remove = useAction('profile.removePhoto');
  const upload = useMutation({
    networkMode: 'always',
    mutationFn: async (file: File) => {
      if (file.size > windowUploadBytes) throw new Error(photoWords.tooLarge);
      return set.mutateAsync({ data: await base64Of(file) });
    },
    // The same file may be chosen again.
    onSettled: () => resetFile.current?.(),
  });
  const hasPhoto = profile.photo !== '';
  const isElsewhere = hasPhoto && photo === null && !upload.isPending;
  const onFile = (file: File | null) => {
    if (!file) return;
    remove.reset();
    upload.mutate(file);
  };
  const onRemove = () => {
    upload.reset();
    remove.mutate({});
  };
  return (
    <Stack gap="xs" id={settingId('profile', 'photo')}>
      <Text fw={600} size="sm">
        {rows.photo.label}
      </Text>
      <Group wrap="nowrap" align="flex-start">
        <AppMark name={profile.name} address={profile.me ?? ''} logo={photo} large round />
        <Stack gap={6}>
          <Text size="sm" c="dimmed">
            {found ? photoWords.found : isElsewhere ? photoWords.elsewhere : rows.photo.help}
          </Text>
          <Group gap="xs">
            <FileButton
              resetRef={resetFile}
              accept="image/*"
              onChange={onFile}
              inputProps={{ 'aria-label': photoWords.chooser }}
            >
              {(props) => (
                <Button {...props} variant="default" size="xs" loading={upload.isPending}>
                  {photo === null ? photoWords.upload : photoWords.replace}
                </Button>
              )}
            </FileButton>
            {hasPhoto && (
              <Button
                variant="default"
                size="xs"
                loading={remove.isPending}
                disabled={upload.isPending}
                onClick={onRemove}
              >
                {photoWords.remove}
              </Button>
            )}
          </Group>
          <Text role="status" size="sm">
            {upload.isSuccess ? photoWords.saved : remove.isSuccess ? photoWords.removed : ''}
          </Text>
        </Stack>
      </Group>
      <ErrorNote error={upload.error} doing={photoWords.uploadFailed} />
      <ErrorNote error={remove.error} doing={photoWords.removeFailed} />
    </Stack>
  );
}
