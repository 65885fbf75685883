import { Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, type ReactElement } from 'react';
import { windowUploadBytes } from '../../../src-main/contract/media.ts';
import type { Profile } from '../../../src-main/contract/settings.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { AppMark } from '../../ui/app-mark.tsx';
import { base64Of } from '../../ui/file-content.ts';
import { ErrorNote } from '../../ui/states.tsx';
import { ownerPhotoWords } from './owner-photo-words.ts';
import { settingId } from './setting-props.ts';

interface Props {
  readonly profile: Profile;
  /** True where the form holds a photo from the owner's site that isn't saved yet. */
  readonly found: boolean;
}

/** The owner's photo: seen, uploaded, replaced and removed. It is saved at once, apart from the form around it. */
export function OwnerPhoto({ profile, found }: Props): ReactElement {
  const resetFile = useRef<() => void>(null);
  const photo = useAnswer('profile.photo', {}).data?.dataUrl ?? null;
  const set = useAction('profile.setPhoto');
  const remove = useAction('profile.removePhoto');
  const upload = useMutation({
    networkMode: 'always',
    mutationFn: async (file: File) => {
      if (file.size > windowUploadBytes) throw new Error(ownerPhotoWords.tooLarge);
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
        {ownerPhotoWords.title}
      </Text>
      <Group wrap="nowrap" align="flex-start">
        <AppMark name={profile.name} address={profile.me ?? ''} logo={photo} large round />
        <Stack gap={6}>
          <Text size="sm" c="dimmed">
            {found ? ownerPhotoWords.found : isElsewhere ? ownerPhotoWords.elsewhere : ownerPhotoWords.about}
          </Text>
          <Group gap="xs">
            <FileButton
              resetRef={resetFile}
              accept="image/*"
              onChange={onFile}
              inputProps={{ 'aria-label': ownerPhotoWords.chooser }}
            >
              {(props) => (
                <Button {...props} variant="default" size="xs" loading={upload.isPending}>
                  {photo === null ? ownerPhotoWords.upload : ownerPhotoWords.replace}
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
                {ownerPhotoWords.remove}
              </Button>
            )}
          </Group>
          <Text role="status" size="sm">
            {upload.isSuccess ? ownerPhotoWords.saved : remove.isSuccess ? ownerPhotoWords.removed : ''}
          </Text>
        </Stack>
      </Group>
      <ErrorNote error={upload.error} doing={ownerPhotoWords.uploadFailed} />
      <ErrorNote error={remove.error} doing={ownerPhotoWords.removeFailed} />
    </Stack>
  );
}
