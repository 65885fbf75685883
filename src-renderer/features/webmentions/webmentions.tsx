import { Anchor, Button, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconArrowLeft, IconDownload, IconFileExport } from '../../ui/icons.ts';
import { useState, type ReactElement } from 'react';
import { useHeld } from '../../client/held.ts';
import { useAnswer } from '../../client/queries.ts';
import { hashOf, setFilters, useRoute } from '../../routes.ts';
import { Address } from '../../ui/foreign.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { Chart } from './chart.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { MentionFilters, mentionFiltersIn } from './filters.tsx';
import { HoldRule } from './hold-rule.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { ImportProgress } from './import-progress.tsx';
import { useCheckNow } from './check-now.tsx';
import { PagesList } from './pages-list.tsx';
import { Stream } from './stream.tsx';
import { pageWords } from './words.ts';
import styles from './webmentions.module.css';

/** Milliseconds without a key before the search starts. */
const typingPause = 250;
const { keys } = pageWords;

/** The screen of the mentions that other sites made of the owner's pages. */
export function Webmentions(): ReactElement {
  const { id: opened, filters } = useRoute();
  const filter = mentionFiltersIn(filters);
  const [search, setSearch] = useState(filters.query ?? '');
  const [importing, setImporting] = useState(false);
  const [exporting, setExporting] = useState(false);
  const { button: checkNow, outcome } = useCheckNow();
  const { progress = null, last = null } = useAnswer('webmentions.importState', {}).data ?? {};
  const view = filters.view === 'pages' ? 'pages' : 'all';

  const show = (next: Record<string, string>) => setFilters('webmentions', next);
  const narrow = (change: Record<string, string>) => show({ ...filters, ...change });
  const narrowLater = useDebouncedCallback((query: string) => narrow({ query }), typingPause);
  const onSearch = (text: string) => {
    setSearch(text);
    narrowLater(text);
  };
  /** Opens another list without the filters of this one. */
  const start = (next: Record<string, string>) => {
    narrowLater.cancel();
    setSearch('');
    show(next);
  };
  const isNarrowed = Object.keys(filter).length > 0;
  const importButton = (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconDownload size={14} aria-hidden="true" />}
      onClick={() => setImporting(true)}
    >
      {pageWords.import}
    </Button>
  );

  return (
    <Page title={pageWords.title} about={pageWords.about}>
      <Stack gap="sm">
        <Held onShow={() => start({ status: 'held' })} shown={filter.status === 'held'} />
        <Group>
          {checkNow}
          {importButton}
          <Button
            variant="default"
            size="xs"
            leftSection={<IconFileExport size={14} aria-hidden="true" />}
            onClick={() => setExporting(true)}
          >
            {pageWords.exportAll}
          </Button>
        </Group>
        {outcome}
        {progress?.state === 'running' && !importing && <ImportProgress progress={progress} />}
        {last !== null && last.wouldRemove > 0 && !importing && (
          <div className={styles.held} role="status">
            <Text>{pageWords.noLongerListed(last.wouldRemove)}</Text>
            <Button variant="default" size="xs" onClick={() => setImporting(true)}>
              {pageWords.review}
            </Button>
          </div>
        )}
        <HoldRule />
      </Stack>
      {exporting && <ExportDialog onClose={() => setExporting(false)} />}
      {importing && <ImportDialog onClose={() => setImporting(false)} />}
      <Chart onPage={(target) => start({ view: 'pages', target })} />
      <Stack gap="md">
        <SegmentedControl
          className={styles.views}
          aria-label={pageWords.view}
          data={[
            { value: 'all', label: pageWords.views.all },
            { value: 'pages', label: pageWords.views.pages },
          ]}
          value={view}
          onChange={(next) => start(next === 'pages' ? { view: 'pages' } : {})}
        />
        {filter.target !== undefined && (
          <OnePage
            target={filter.target}
            onBack={() => start(view === 'pages' ? { view: 'pages' } : {})}
            words={view === 'pages' ? pageWords.allPages : pageWords.allMentions}
          />
        )}
        {view === 'pages' && filter.target === undefined ? (
          <PagesList onOpen={(target) => start({ view: 'pages', target })} />
        ) : (
          <>
            <MentionFilters filter={filter} search={search} onSearch={onSearch} onChange={narrow} />
            <Text size="xs" c="dimmed" className={styles.keys}>
              {keys.label} <kbd>↑</kbd> <kbd>↓</kbd> {keys.or} <kbd>k</kbd> <kbd>j</kbd> {keys.move},{' '}
              <kbd>Enter</kbd> {keys.open}, <kbd>x</kbd> {keys.select}, <kbd>a</kbd> {keys.approve},{' '}
              <kbd>h</kbd> {keys.hide}, <kbd>Delete</kbd> {keys.delete}, <kbd>Esc</kbd> {keys.close}.
            </Text>
            <Stream
              filter={filter}
              opened={opened}
              onOpen={(id) => show(id === null ? filters : { ...filters, id })}
              onOnlySite={(host) => start({ host })}
              empty={
                isNarrowed ? (
                  <Nothing deleted={filter.status === 'deleted'} onClear={() => start({})} />
                ) : (
                  <NothingYet importButton={importButton} />
                )
              }
            />
          </>
        )}
      </Stack>
    </Page>
  );
}

/** Mentions that wait for the owner come first. */
function Held({ shown, onShow }: { shown: boolean; onShow: () => void }): ReactElement | null {
  const held = useHeld();
  if (held === '') return null;
  return (
    <div className={styles.held} role="status">
      <Text fw={600}>{pageWords.waiting(held)}</Text>
      {!shown && (
        <Button color="amber.5" size="xs" onClick={onShow}>
          {pageWords.review}
        </Button>
      )}
    </div>
  );
}

function OnePage(props: { target: string; words: string; onBack: () => void }): ReactElement {
  return (
    <div>
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<IconArrowLeft size={14} aria-hidden="true" />}
        onClick={props.onBack}
      >
        {props.words}
      </Button>
      <Title order={2} mt={4}>
        {pageWords.mentionsOf} <Address url={props.target} />
      </Title>
    </div>
  );
}

function Nothing({ deleted, onClear }: { deleted: boolean; onClear: () => void }): ReactElement {
  return (
    <Empty
      step={
        <Button variant="default" onClick={onClear}>
          {pageWords.showAll}
        </Button>
      }
    >
      {deleted ? pageWords.noneDeleted : pageWords.noMatch}
    </Empty>
  );
}

function NothingYet({ importButton }: { importButton: ReactElement }): ReactElement {
  return (
    <Empty step={importButton}>
      {pageWords.noneYet}
      <Anchor href={hashOf('setup')} inherit underline="always" c="inherit">
        {pageWords.setup}
      </Anchor>
      {pageWords.noneYetImport}
    </Empty>
  );
}
