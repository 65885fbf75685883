import { Anchor, Button, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconArrowLeft, IconDownload, IconFileExport } from '@tabler/icons-react';
import { useState, type ReactElement } from 'react';
import { useHeld } from '../../client/held.ts';
import { useAnswer } from '../../client/queries.ts';
import { hashOf, setFilters, useRoute } from '../../routes.ts';
import { Address } from '../../ui/foreign.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { Chart } from './chart.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { Filters, wantedIn } from './filters.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { ImportProgress } from './import-progress.tsx';
import { useLookNow } from './look-now.tsx';
import { PagesList } from './pages-list.tsx';
import { Stream } from './stream.tsx';
import styles from './webmentions.module.css';

/** Milliseconds without a key before the list is asked again. */
const typingPause = 250;

/** What other sites say about the owner's pages: found, read, approved, hidden, deleted, imported. */
export function Webmentions(): ReactElement {
  const { id: opened, filters } = useRoute();
  const wanted = wantedIn(filters);
  const [search, setSearch] = useState(filters.query ?? '');
  const [importing, setImporting] = useState(false);
  const [exporting, setExporting] = useState(false);
  const { button: lookNow, outcome } = useLookNow();
  const imported = useAnswer('webmentions.importState', {}).data?.progress ?? null;
  const view = filters.view === 'pages' ? 'pages' : 'all';

  const show = (next: Record<string, string>) => setFilters('webmentions', next);
  const narrow = (change: Record<string, string>) => show({ ...filters, ...change });
  const narrowLater = useDebouncedCallback((query: string) => narrow({ query }), typingPause);
  const onSearch = (text: string) => {
    setSearch(text);
    narrowLater(text);
  };
  /** Another list: nothing of how this one was narrowed. */
  const start = (next: Record<string, string>) => {
    narrowLater.cancel();
    setSearch('');
    show(next);
  };
  const isNarrowed = Object.keys(wanted).length > 0;
  const importButton = (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconDownload size={14} aria-hidden="true" />}
      onClick={() => setImporting(true)}
    >
      Import from webmention.io
    </Button>
  );

  return (
    <Page title="Webmentions" about="What other sites say about your pages, newest first.">
      <Stack gap="sm">
        <Held onShow={() => start({ status: 'held' })} shown={wanted.status === 'held'} />
        <Group>
          {lookNow}
          {importButton}
          <Button
            variant="default"
            size="xs"
            leftSection={<IconFileExport size={14} aria-hidden="true" />}
            onClick={() => setExporting(true)}
          >
            Save all as a file
          </Button>
        </Group>
        {outcome}
        {imported?.state === 'running' && !importing && <ImportProgress progress={imported} />}
      </Stack>
      {exporting && <ExportDialog onClose={() => setExporting(false)} />}
      {importing && <ImportDialog onClose={() => setImporting(false)} />}
      <Chart />
      <Stack gap="md">
        <SegmentedControl
          className={styles.views}
          aria-label="View"
          data={[
            { value: 'all', label: 'All' },
            { value: 'pages', label: 'By page' },
          ]}
          value={view}
          onChange={(next) => start(next === 'pages' ? { view: 'pages' } : {})}
        />
        {wanted.target !== undefined && (
          <OnePage
            target={wanted.target}
            onBack={() => start(view === 'pages' ? { view: 'pages' } : {})}
            words={view === 'pages' ? 'All pages' : 'All mentions'}
          />
        )}
        {view === 'pages' && wanted.target === undefined ? (
          <PagesList onOpen={(target) => start({ view: 'pages', target })} />
        ) : (
          <>
            <Filters wanted={wanted} search={search} onSearch={onSearch} onChange={narrow} />
            <Text size="xs" c="dimmed" className={styles.keys}>
              Keys: <kbd>↑</kbd> <kbd>↓</kbd> or <kbd>k</kbd> <kbd>j</kbd> move, <kbd>Enter</kbd> opens,{' '}
              <kbd>a</kbd> approves, <kbd>h</kbd> hides, <kbd>Delete</kbd> deletes, <kbd>Esc</kbd> closes.
            </Text>
            <Stream
              wanted={wanted}
              opened={opened}
              onOpen={(id) => show(id === null ? filters : { ...filters, id })}
              onOnlySite={(host) => start({ host })}
              empty={
                isNarrowed ? (
                  <Nothing deleted={wanted.status === 'deleted'} onClear={() => start({})} />
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

/** What waits for the owner comes first. */
function Held({ shown, onShow }: { shown: boolean; onShow: () => void }): ReactElement | null {
  const held = useHeld();
  if (held === '') return null;
  return (
    <div className={styles.held} role="status">
      <Text fw={600}>
        {held} {held === '1' ? 'mention waits' : 'mentions wait'} for you
      </Text>
      {!shown && (
        <Button color="amber.5" size="xs" onClick={onShow}>
          Look at {held === '1' ? 'it' : 'them'}
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
        Mentions of <Address url={props.target} />
      </Title>
    </div>
  );
}

function Nothing({ deleted, onClear }: { deleted: boolean; onClear: () => void }): ReactElement {
  return (
    <Empty
      step={
        <Button variant="default" onClick={onClear}>
          Show all mentions
        </Button>
      }
    >
      {deleted
        ? 'Nothing like that is deleted. What you delete can be brought back from here.'
        : 'No mention is like that.'}
    </Empty>
  );
}

function NothingYet({ importButton }: { importButton: ReactElement }): ReactElement {
  return (
    <Empty step={importButton}>
      Nobody has mentioned your pages yet. When somebody likes, answers or links one of them from their own
      site, it shows up here. Sites find this place by the link elements on your pages:{' '}
      <Anchor href={hashOf('setup')} inherit underline="always" c="inherit">
        Set-up
      </Anchor>{' '}
      has them. If webmention.io has received mentions for you so far, bring them here.
    </Empty>
  );
}
