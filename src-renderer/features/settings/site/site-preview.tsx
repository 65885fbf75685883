import { Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import type { Settings } from '../../../../src-main/contract/settings.ts';
import { useClient } from '../../../client/queries.ts';
import { foundPictures } from '../../../ui/page-content.ts';
import { ShadowPage } from '../../../ui/shadow-page.tsx';
import { ErrorNote } from '../../../ui/states.tsx';
import { previewable } from './site-rows.ts';
import styles from './site.module.css';
import { previewWords as words } from './words.ts';

/** How long the owner has to pause before the preview follows, in ms. */
const pauseMs = 300;
/** The whole page fits into a part of the window. */
const fitting = ':host { display: block; min-height: 100%; background: var(--ground); zoom: .7; }';

/** Shows a page of the site as it will look with these settings. */
export function SitePreview({ site }: { site: Settings['site'] }): ReactElement {
  const client = useClient();
  const [page, setPage] = useState<'home' | 'post'>('home');
  const [known] = useState(() => new Map<string, string | null>());
  const [shown] = useDebouncedValue(site, pauseMs);
  const params = { site: previewable(shown), page };
  const { data, error } = useQuery({
    queryKey: ['site.preview', params],
    queryFn: async () => {
      const made = await client.call('site.preview', params);
      const pictures = await foundPictures(made.html, known, async (url) => {
        const { dataUrl } = await client.call('media.thumbnail', { url }).catch(() => ({ dataUrl: null }));
        return dataUrl;
      });
      return { ...made, pictures };
    },
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  return (
    <Stack gap={6}>
      <Group justify="space-between" align="center">
        <Text fw={600} size="sm">
          {words.label}
        </Text>
        <SegmentedControl
          size="xs"
          aria-label={words.page}
          value={page}
          onChange={(value) => setPage(value === 'post' ? 'post' : 'home')}
          data={[
            { value: 'home', label: words.home },
            { value: 'post', label: words.post },
          ]}
        />
      </Group>
      <ErrorNote error={error} doing={words.failed} />
      <div role="region" aria-label={words.label} tabIndex={0} className={styles.preview}>
        {data && <ShadowPage {...data} fitting={fitting} inert />}
      </div>
      <Text size="xs" c="dimmed">
        {words.about}
      </Text>
    </Stack>
  );
}
