import { Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef, type ReactElement } from 'react';
import { windowUploadBytes } from '../../../../src-main/contract/media.ts';
import { settingAreas } from '../../../../src-main/contract/settings.ts';
import { useAction, useAnswer, useClient } from '../../../client/queries.ts';
import { base64Of } from '../../../ui/file-content.ts';
import { ErrorNote } from '../../../ui/states.tsx';
import { photoWords } from '../profile-form.tsx';
import { settingId } from '../setting-field.tsx';
import styles from './site.module.css';

const words = {
  ofProfile: 'The site shows the photo in your profile.',
  own: 'The site shows this photo instead of the one in your profile.',
  elsewhere: 'The site shows a copy of a photo on another server.',
  choose: 'Choose another photo',
  chooser: 'Choose a photo for the site',
  reset: 'Use the profile photo',
  failed: 'Porchlight couldn’t save the photo.',
};

interface Props {
  /** The photo's URL; empty for the photo in the profile. */
  readonly photo: string;
  readonly onChange: (photo: string) => void;
}

/** Chooses the photo on the site. The file is uploaded at once; the choice is saved with the form. */
export function SitePhoto({ photo, onChange }: Props): ReactElement {
  const client = useClient();
  const resetFile = useRef<() => void>(null);
  const ofProfile = useAnswer('profile.photo', {}).data?.dataUrl ?? null;
  const isOwn = photo !== '' && URL.canParse(photo) && new URL(photo).pathname.startsWith('/media/');
  const thumbnail = useQuery({
    queryKey: ['media.thumbnail', { url: photo }],
    queryFn: () => client.call('media.thumbnail', { url: photo }),
    enabled: isOwn,
  });
  const add = useAction('media.upload');
  const upload = useMutation({
    networkMode: 'always',
    mutationFn: async (file: File) => {
      if (file.size > windowUploadBytes) throw new Error(photoWords.tooLarge);
      return add.mutateAsync({ name: file.name || 'photo', data: await base64Of(file) });
    },
    onSuccess: ({ url }) => onChange(url),
    // The same file may be chosen again.
    onSettled: () => resetFile.current?.(),
  });
  const picture = photo === '' ? ofProfile : (thumbnail.data?.dataUrl ?? null);
  return (
    <Stack gap="xs" id={settingId('site', 'photo')}>
      <Text fw={600} size="sm">
        {settingAreas.site.photo.label}
      </Text>
      <Group wrap="nowrap" align="flex-start">
        {picture?.startsWith('data:image/') === true && <img src={picture} alt="" className={styles.photo} />}
        <Stack gap={6}>
          <Text size="sm" c="dimmed" role="status">
            {photo === '' ? words.ofProfile : isOwn ? words.own : words.elsewhere}
          </Text>
          <Group gap="xs">
            <FileButton
              resetRef={resetFile}
              accept="image/*"
              onChange={(file) => file && upload.mutate(file)}
              inputProps={{ 'aria-label': words.chooser }}
            >
              {(props) => (
                <Button {...props} variant="default" size="xs" loading={upload.isPending}>
                  {words.choose}
                </Button>
              )}
            </FileButton>
            {photo !== '' && (
              <Button variant="default" size="xs" onClick={() => onChange('')}>
                {words.reset}
              </Button>
            )}
          </Group>
        </Stack>
      </Group>
      <ErrorNote error={upload.error} doing={words.failed} />
    </Stack>
  );
}
