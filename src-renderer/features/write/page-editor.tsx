import { Button, Group, Text, TextInput, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useId, useRef, useState, useSyncExternalStore, type ReactElement } from 'react';
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
import { wide } from './editor.tsx';
import { firstVerb, ownKinds } from './kinds.tsx';
import { pageIn, writePage } from './page-session.ts';
import { PhotoList } from './photo-list.tsx';
import { PagePreview } from './preview.tsx';
import { aboutPage, isSamePage, newPage, pageProblems, savedPage, withPage, withTitle } from './site-page.ts';
import { wordCount } from './text-editing.ts';
import { TextField, TitleField } from './text-field.tsx';
import { Tools } from './tools.tsx';
import { barWords, fieldWords, sitePageWords as words, screenWords } from './words.ts';
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
  const [session] = useState(() => writePage(client.call.bind(client), name, saved));
  const writing = useSyncExternalStore(session.subscribe, session.snapshot);
  const [isJudged, setIsJudged] = useState(false);
  const [isPreviewed, setIsPreviewed] = useState(false);
  const isWide = useMediaQuery(wide, false, { getInitialValueInEffect: false });
  const field = useRef<HTMLTextAreaElement>(null);
  const page = pageIn(writing.form);
  const problems = isJudged ? pageProblems(page, name, site) : {};
  const isChanged = !isSamePage(page, saved);
  const takeSaved = () => {
    session.begin(saved);
    setIsJudged(false);
  };
  const submit = async () => {
    setIsJudged(true);
    if (save.isPending || Object.keys(pageProblems(page, name, site)).length > 0) return;
    if (!(await session.uploaded())) return;
    const written = pageIn(session.snapshot().form);
    const next = { ...written, title: written.title.trim() };
    // Another window may have changed another page.
    const { site: now } = await client.call('settings.get', {});
    await save.mutateAsync(withPage(now, name, next));
    session.begin(next);
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
      {isChanged && !isSamePage(writing.base, saved) && (
        <div role="status">
          <WarningNote>
            <Text>{words.otherVersion}</Text>
            <Button variant="default" size="xs" mt={6} onClick={takeSaved}>
              {words.useSaved}
            </Button>
          </WarningNote>
        </div>
      )}
      <div className={isPreviewed && isWide ? styles.sideBySide : styles.alone}>
        <div className={styles.sheet} hidden={isPreviewed && !isWide}>
          {name !== aboutPage && (
            <TitleField
              value={page.title}
              error={problems.title}
              maxLength={200}
              onTitle={(title) => {
                const { slug } = withTitle(page, title);
                session.change({ name: title, slug });
              }}
            />
          )}
          <TextField
            session={session}
            writing={writing}
            field={field}
            maxLength={name === aboutPage ? 20_000 : 200_000}
            placeholder={name === aboutPage ? words.aboutExample : words.example}
          />
          <PhotoList session={session} writing={writing} />
        </div>
        {isPreviewed && (
          <PagePreview form={writing.form} isAbout={name === aboutPage} field={field} isBeside={isWide} />
        )}
      </div>
      {name !== aboutPage && (
        <Slug value={page.slug} error={problems.slug} onSlug={(slug) => session.change({ slug })} />
      )}
      <div className={styles.bar} role="group" aria-label={words.bar}>
        <ErrorNote error={save.error} doing={words.failed} />
        <div className={styles.barRow}>
          <Tools session={session} writing={writing} field={field} small={false} />
          <div className={styles.facts}>
            {page.text !== '' && (
              <span>{barWords.words(wordCount({ text: page.text, format: 'markdown' }))}</span>
            )}
            {isChanged && <span>{words.changed}</span>}
          </div>
          <Group gap={6} ms="auto">
            <Button
              variant={isPreviewed ? 'light' : 'subtle'}
              color="gray"
              px="xs"
              aria-pressed={isPreviewed}
              onClick={() => setIsPreviewed(!isPreviewed)}
            >
              {barWords.preview}
            </Button>
            <PageMenu {...{ name, isChanged }} onDiscard={takeSaved} />
            <Button
              color="amber.5"
              disabled={!isChanged}
              loading={save.isPending}
              onClick={() => void submit().catch(() => undefined)}
            >
              {words.save}
            </Button>
          </Group>
        </div>
      </div>
    </div>
  );
}

interface SlugProps {
  readonly value: string;
  readonly error: string | undefined;
  readonly onSlug: (slug: string) => void;
}

/** The last part of the page's address. */
function Slug({ value, error, onSlug }: SlugProps): ReactElement {
  return (
    <div className={`${shared.quiet} ${styles.details}`}>
      <TextInput
        label={words.slug}
        description={words.slugHelp}
        leftSection={<span aria-hidden="true">/</span>}
        value={value}
        maxLength={60}
        error={error}
        onChange={(event) => onSlug(event.currentTarget.value.trim().toLowerCase())}
      />
    </div>
  );
}

interface MenuProps {
  readonly name: string;
  readonly isChanged: boolean;
  readonly onDiscard: () => void;
}

function PageMenu({ name, isChanged, onDiscard }: MenuProps): ReactElement {
  const base = useAnswer('status.get', {}).data?.baseUrl ?? '';
  const path = name === aboutPage ? '' : name;
  return (
    <MoreMenu
      items={[
        base !== '' && name !== newPage && { label: words.view, href: `${base}/${path}`, outside: true },
        { label: words.manage, href: settingsHash('site') },
        isChanged && { label: words.discard, danger: true, onClick: onDiscard },
      ]}
    />
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
