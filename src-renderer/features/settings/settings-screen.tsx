import { Anchor, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, useState, type ReactElement, type ReactNode } from 'react';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { useAnswer, useClient } from '../../client/queries.ts';
import {
  hashOf,
  settingsHash,
  settingsPages,
  useRoute,
  useSettingsPage,
  type SettingsPage,
} from '../../routes.ts';
import { IconChevronRight } from '../../ui/icons.ts';
import { Page } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Loaded } from '../../ui/states.tsx';
import { MailboxPanel } from '../cloudflare/mailbox-panel.tsx';
import { ReachForm } from '../reach/reach-form.tsx';
import { About } from './about.tsx';
import { Advanced } from './advanced.tsx';
import { AssistantsForm } from './assistants-form.tsx';
import { Bridge } from './bridge.tsx';
import { PhonesForm } from './phones/phones-form.tsx';
import { PostingForm } from './posting-form.tsx';
import { ProfileForm } from './profile-form.tsx';
import { findSettings, pageWords } from './search.ts';
import { focusSetting, settingId } from './setting-field.tsx';
import styles from './settings.module.css';
import { FolderPage } from './site-folder/folder-page.tsx';
import { SiteForm } from './site/site-form.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { ThisComputer } from './this-computer.tsx';
import { UnsavedGuard } from './unsaved.tsx';
import { Blocked, WebmentionForm } from './webmention-form.tsx';

const words = {
  title: 'Settings',
  index: 'Pages of the settings',
  all: 'All settings',
  loading: 'your settings',
  search: 'Search settings',
  results: 'Search results',
  none: 'No settings match.',
  count: (count: number) => `${count} ${count === 1 ? 'setting' : 'settings'} found`,
};

/** The settings: a list of pages, and beside it one page with one Save button. A narrow window shows one or the other. */
export function SettingsScreen(): ReactElement {
  const settings = useAnswer('settings.get', {});
  const { home } = useClient();
  const asked = useSettingsPage();
  const pages = settingsPages.filter((page) => page !== 'computer' || home === 'desktop');
  const current = pages.find((page) => page === asked) ?? 'profile';
  return (
    <UnsavedGuard>
      <Page title={words.title}>
        <div className={styles.frame}>
          <div className={styles.columns} data-at={asked === null ? 'index' : 'page'}>
            <div className={styles.index}>
              <SettingsIndex pages={pages} current={current} />
            </div>
            <div className={styles.page}>
              <div className={styles.back}>
                <Anchor href={hashOf('settings')} underline="always" c="inherit" size="sm">
                  {words.all}
                </Anchor>
              </div>
              <Loaded query={settings} what={words.loading}>
                {(all) => (
                  <PageFrame key={current} page={current} isAsked={asked !== null}>
                    {contents[current](all)}
                  </PageFrame>
                )}
              </Loaded>
            </div>
          </div>
        </div>
      </Page>
    </UnsavedGuard>
  );
}

const contents: Record<SettingsPage, (settings: Settings) => ReactNode> = {
  profile: ({ profile }) => <ProfileForm profile={profile} />,
  site: ({ site }) => <SiteForm site={site} />,
  'site-folder': ({ siteFolder }) => <FolderPage saved={siteFolder} />,
  reach: () => (
    <div id={settingId('reach', 'way')} tabIndex={-1} className={styles.group}>
      <ReachForm />
    </div>
  ),
  mailbox: () => (
    <div id={settingId('mailbox', 'state')} tabIndex={-1} className={styles.group}>
      <MailboxPanel />
    </div>
  ),
  'sign-in': ({ signIn }) => <SignInForm signIn={signIn} />,
  posting: (settings) => (
    <>
      <PostingForm micropub={settings.micropub} />
      <Bridge settings={settings} />
    </>
  ),
  webmentions: ({ webmention }) => (
    <>
      <WebmentionForm webmention={webmention} />
      <Blocked />
    </>
  ),
  assistants: ({ assistants }) => <AssistantsForm assistants={assistants} />,
  phones: (settings) => <PhonesForm settings={settings} />,
  computer: ({ desktop }) => <ThisComputer desktop={desktop} />,
  advanced: () => <Advanced />,
  about: () => <About />,
};

interface FrameProps {
  readonly page: SettingsPage;
  /** True if the address names this page. */
  readonly isAsked: boolean;
  readonly children: ReactNode;
}

/** A page under its heading. The focus goes to the setting in the address, or to the heading of a page that was opened. */
function PageFrame({ page, isAsked, children }: FrameProps): ReactElement {
  const { title, about } = pageWords[page];
  const { id } = useRoute();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isAsked) return;
    if (id !== null) focusSetting(page, id);
    else {
      window.scrollTo(0, 0);
      heading.current?.focus();
    }
  }, [page, id, isAsked]);
  return (
    <section aria-label={title}>
      <Title order={2} ref={heading} tabIndex={-1} className={styles.group}>
        {title}
      </Title>
      {about !== undefined && (
        <Text c="dimmed" size="sm" mt={2}>
          {about}
        </Text>
      )}
      <Stack gap="xl" mt="lg">
        {children}
      </Stack>
    </section>
  );
}

interface IndexProps {
  readonly pages: readonly SettingsPage[];
  /** The page that is shown beside the list. */
  readonly current: SettingsPage;
}

/** The list of pages, and the search, whose results take its place. */
function SettingsIndex({ pages, current }: IndexProps): ReactElement {
  const [query, setQuery] = useState('');
  const found = findSettings(query, pages);
  const isSearching = query.trim() !== '';
  const open = (hash: string) => {
    setQuery('');
    window.location.hash = hash;
  };
  return (
    <div>
      <form
        role="search"
        className={styles.search}
        onSubmit={(event) => {
          event.preventDefault();
          if (found[0]) open(found[0].hash);
        }}
      >
        <SearchField label={words.search} value={query} onChange={setQuery} />
      </form>
      <Text role="status" size="sm" c="dimmed" className={styles.count}>
        {isSearching && (found.length === 0 ? words.none : words.count(found.length))}
      </Text>
      <nav aria-label={isSearching ? words.results : words.index}>
        <ul className={styles.list}>
          {isSearching
            ? found.map(({ hash, label, pageTitle }) => (
                <li key={hash}>
                  <a href={hash} className={styles.link} onClick={() => setQuery('')}>
                    {label}
                    <Text size="xs" c="dimmed">
                      {pageTitle}
                    </Text>
                  </a>
                </li>
              ))
            : pages.map((page) => (
                <li key={page}>
                  <a
                    href={settingsHash(page)}
                    className={styles.link}
                    aria-current={page === current ? 'page' : undefined}
                  >
                    {pageWords[page].title}
                    <IconChevronRight size={16} className={styles.chevron} aria-hidden="true" />
                  </a>
                </li>
              ))}
        </ul>
      </nav>
    </div>
  );
}
