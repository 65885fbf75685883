import { Button, Group, Text, TextInput, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useId, useRef, useState, type ReactElement } from 'react';
import { postKinds } from '../../../src-main/contract/post-kinds.ts';
import type { Settings } from '../../../src-main/contract/settings.ts';
import type { SitePage } from '../../../src-main/contract/site-settings.ts';
import { useAction, useAnswer, useClient } from '../../client/queries.ts';
import { hashOf, setFilters, settingsHash, writeHash } from '../../routes.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { MoreMenu } from '../../ui/more-menu.tsx';
import { Page, pageTitleId } from '../../ui/page.tsx';
import shared from '../../ui/shared.module.css';
import { Empty, ErrorNote, Loaded, WarningNote } from '../../ui/states.tsx';
import { firstVerb, ownKinds } from './kinds.tsx';
import {
  aboutPage,
  isSamePage,
  keepPage,
  keptPage,
  newPage,
  pageProblems,
  savedPage,
  withPage,
  withTitle,
} from './site-page.ts';
import { wordCount } from './text-editing.ts';
import { GrowingText, TitleField } from './text-field.tsx';
import { FormatTools } from './tools.tsx';
import { barWords, fieldWords, sitePageWords as words, screenWords, toolWords } from './words.ts';
import styles from './write.module.css';

/** The editor of a page of the site, such as About or Now. `name`: what the address of the screen asks for. */
export function PageEditor({ name }: { name: string }): ReactElement {
  const settings = useAnswer('settings.get', {});
  return (
    <Loaded query={settings} what={words.loads}>
      {({ site }) => {
        const saved = savedPage(site, name);
        return saved === undefined ? <NoPage /> : <PageForm key={name} {...{ name, site, saved }} />;
      }}
    </Loaded>
  );
}

function NoPage(): ReactElement {
  return (
    <Page title={screenWords.write}>
      <Empty
        drawing="page"
        step={
          <Button component="a" href={writeHash({ page: newPage })} variant="default">
            {words.write}
          </Button>
        }
      >
        <Text component="span" fw={600} display="block">
          {words.missing}
        </Text>
        {words.missingAbout}
      </Empty>
    </Page>
  );
}

interface FormProps {
  readonly name: string;
  readonly site: Settings['site'];
  readonly saved: SitePage;
}

function PageForm({ name, site, saved }: FormProps): ReactElement {
  const client = useClient();
  const save = useAction('settings.update');
  const [{ page, base }, set] = useState(() => keptPage(name) ?? { page: saved, base: saved });
  const [isJudged, setIsJudged] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const problems = isJudged ? pageProblems(page, name, site) : {};
  const isChanged = !isSamePage(page, saved);
  const change = (next: SitePage) => {
    const kept = { page: next, base };
    set(kept);
    keepPage(name, isSamePage(next, saved) ? null : kept);
  };
  const takeSaved = () => {
    set({ page: saved, base: saved });
    setIsJudged(false);
    keepPage(name, null);
  };
  const submit = async () => {
    setIsJudged(true);
    if (save.isPending || Object.keys(pageProblems(page, name, site)).length > 0) return;
    // Another window may have changed another page.
    const { site: now } = await client.call('settings.get', {});
    await save.mutateAsync(withPage(now, name, { ...page, title: page.title.trim() }));
    keepPage(name, null);
    set({ page, base: page });
    notifications.show({ message: words.saved });
    if (name !== aboutPage && page.slug !== name) setFilters('write', { page: page.slug });
  };
  return (
    <div
      data-fills
      className={styles.editor}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        void submit().catch(() => undefined);
      }}
    >
      <PageHead name={name} pages={site.pages} />
      {isChanged && !isSamePage(base, saved) && (
        <div role="status">
          <WarningNote>
            <Text>{words.otherVersion}</Text>
            <Button variant="default" size="xs" mt={6} onClick={takeSaved}>
              {words.useSaved}
            </Button>
          </WarningNote>
        </div>
      )}
      <div className={styles.alone}>
        <div className={styles.sheet}>
          {name !== aboutPage && (
            <TitleField
              value={page.title}
              error={problems.title}
              maxLength={200}
              onTitle={(title) => change(withTitle(page, title))}
            />
          )}
          <GrowingText
            field={field}
            value={page.text}
            maxLength={name === aboutPage ? 20_000 : 200_000}
            placeholder={name === aboutPage ? words.aboutExample : words.example}
            onFormat={() => undefined}
            onText={(text) => change({ ...page, text })}
          />
        </div>
      </div>
      {name !== aboutPage && (
        <div className={`${shared.quiet} ${styles.details}`}>
          <TextInput
            label={words.slug}
            description={words.slugHelp}
            leftSection={<span aria-hidden="true">/</span>}
            value={page.slug}
            maxLength={60}
            error={problems.slug}
            onChange={(event) => change({ ...page, slug: event.currentTarget.value.trim().toLowerCase() })}
          />
        </div>
      )}
      <div className={styles.bar} role="group" aria-label={words.bar}>
        <ErrorNote error={save.error} doing={words.failed} />
        <div className={styles.barRow}>
          <Group gap={2} wrap="nowrap" role="group" aria-label={toolWords.name}>
            <FormatTools field={field} onFormat={() => undefined} />
          </Group>
          <div className={styles.facts}>
            {page.text !== '' && (
              <span>{barWords.words(wordCount({ text: page.text, format: 'markdown' }))}</span>
            )}
            {isChanged && <span>{words.changed}</span>}
          </div>
          <PageActions {...{ name, isChanged }} onDiscard={takeSaved}>
            <Button
              color="amber.5"
              disabled={!isChanged}
              loading={save.isPending}
              onClick={() => void submit().catch(() => undefined)}
            >
              {words.save}
            </Button>
          </PageActions>
        </div>
      </div>
    </div>
  );
}

interface ActionsProps {
  readonly name: string;
  readonly isChanged: boolean;
  readonly onDiscard: () => void;
  readonly children: ReactElement;
}

function PageActions({ name, isChanged, onDiscard, children }: ActionsProps): ReactElement {
  const base = useAnswer('status.get', {}).data?.baseUrl ?? '';
  const path = name === aboutPage ? '' : name;
  return (
    <Group gap={6} ms="auto">
      <MoreMenu
        items={[
          base !== '' && name !== newPage && { label: words.view, href: `${base}/${path}`, outside: true },
          { label: words.manage, href: settingsHash('site') },
          isChanged && { label: words.discard, danger: true, onClick: onDiscard },
        ]}
      />
      {children}
    </Group>
  );
}

/** The heading, the way to posts, and the owner's pages. */
function PageHead({ name, pages }: { name: string; pages: Settings['site']['pages'] }): ReactElement {
  const id = useId();
  const link = (to: string, label: string) => (
    <li key={to}>
      <a
        className={styles.kindLink}
        href={writeHash({ page: to })}
        aria-current={to === name ? 'page' : undefined}
      >
        <Foreign text={label} />
      </a>
    </li>
  );
  return (
    <>
      <div className={styles.head}>
        <Title order={1} id={pageTitleId} tabIndex={-1}>
          {screenWords.write}
        </Title>
        <nav aria-label={fieldWords.kind}>
          <ul className={styles.links}>
            {[...ownKinds, firstVerb].map((kind) => (
              <li key={kind}>
                <a className={styles.kindLink} href={`${hashOf('write')}?kind=${kind}`}>
                  {kind === firstVerb ? fieldWords.respond : postKinds[kind].name}
                </a>
              </li>
            ))}
            <li>
              <a className={styles.kindLink} href={writeHash({ page: newPage })} aria-current="true">
                {words.name}
              </a>
            </li>
          </ul>
        </nav>
      </div>
      <nav aria-labelledby={id}>
        <Text id={id} size="sm" c="dimmed" mb={4}>
          {words.list}
        </Text>
        <ul className={styles.links}>
          {link(aboutPage, words.about)}
          {pages.map(({ slug, title }) => link(slug, title))}
          {link(newPage, words.fresh)}
        </ul>
      </nav>
    </>
  );
}
