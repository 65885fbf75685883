import { Group, Radio, SegmentedControl, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import type { Params } from '../../../../src-main/contract/contract.ts';
import { settingAreas, type Settings } from '../../../../src-main/contract/settings.ts';
import { useClient } from '../../../client/queries.ts';
import { foundPictures } from '../../../ui/page-content.ts';
import { ShadowPage } from '../../../ui/shadow-page.tsx';
import { ErrorNote } from '../../../ui/states.tsx';
import { settingProps } from '../setting-field.tsx';
import { isComplete } from './lists.tsx';
import styles from './site.module.css';

type Site = Settings['site'];
type Theme = Site['theme'];

const words = {
  label: 'Preview',
  page: 'Page in the preview',
  home: 'Home page',
  post: 'Newest post',
  about: 'Your changes are shown here at once. Visitors see them after you save.',
  failed: 'Porchlight can’t show these settings.',
};

/** How long the owner has to pause before the pictures follow, in ms. */
const pauseMs = 300;

/** Returns the rules that fit a whole page into a part of the window. */
const fittingAt = (zoom: number) =>
  `:host { display: block; min-height: 100%; background: var(--ground); zoom: ${zoom}; }`;

/** Returns the settings for a preview: without links that aren't complete yet, and without the texts of pages. */
export function previewable(site: Site): Site {
  return {
    ...site,
    links: site.links.filter(isComplete),
    pages: site.pages.map((page) => ({ ...page, text: '' })),
  };
}

/** The pictures of the site's pages: each data: URL by its address, null for one that can't be shown. */
type Known = Map<string, string | null>;

/** Renders a page of the site with settings that aren't saved yet. `known`: the pictures that were found, which grows. */
function useSitePage(params: Params<'site.preview'>, known: Known) {
  const client = useClient();
  return useQuery({
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
}

/** Shows a page of the site as it will look with these settings. */
export function SitePreview({ site }: { site: Site }): ReactElement {
  const [page, setPage] = useState<'home' | 'post'>('home');
  const [known] = useState<Known>(() => new Map());
  const [shown] = useDebouncedValue(site, pauseMs);
  const { data, error } = useSitePage({ site: previewable(shown), page }, known);
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
        {data && <ShadowPage {...data} fitting={fittingAt(0.7)} inert />}
      </div>
      <Text size="xs" c="dimmed">
        {words.about}
      </Text>
    </Stack>
  );
}

const row = settingAreas.site.theme;
const themes = Object.keys(row.options ?? {}) as Theme[];

interface ThemeProps {
  readonly theme: Theme;
  readonly accent: string;
  readonly onChange: (theme: Theme) => void;
}

/** Chooses the theme among pictures of the owner's own home page. */
export function ThemeChoice({ theme, accent, onChange }: ThemeProps): ReactElement {
  const named = settingProps('site', 'theme', row);
  const [known] = useState<Known>(() => new Map());
  const [shownAccent] = useDebouncedValue(accent, pauseMs);
  return (
    <Radio.Group {...named} value={theme} onChange={onChange}>
      <div className={styles.themes}>
        {themes.map((name) => (
          <div key={name} className={styles.theme}>
            {/* For the mouse only: the button below does the same. */}
            <div className={styles.picture} aria-hidden="true" onClick={() => onChange(name)}>
              <ThemePicture theme={name} accent={shownAccent} known={known} />
            </div>
            <Radio
              value={name}
              label={row.options?.[name]?.label}
              description={row.options?.[name]?.help}
              color="var(--porchlight-tick)"
            />
          </div>
        ))}
      </div>
    </Radio.Group>
  );
}

/** The home page in a theme, too small to read. */
function ThemePicture({
  theme,
  accent,
  known,
}: Omit<ThemeProps, 'onChange'> & { known: Known }): ReactElement {
  const { data } = useSitePage({ site: { theme, accent }, page: 'home' }, known);
  return <>{data && <ShadowPage {...data} fitting={fittingAt(0.22)} inert />}</>;
}
