import { Anchor, Button, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { IconArrowLeft, IconDownload, IconFileExport } from '../../ui/icons.ts';
import { useState, type ReactElement, type ReactNode } from 'react';
import { useHeld } from '../../client/held.ts';
import { useAnswer } from '../../client/queries.ts';
import { hashOf, setFilters } from '../../routes.ts';
import { Address } from '../../ui/foreign.tsx';
import { ActionRow } from '../../ui/more-menu.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, NoMatch } from '../../ui/states.tsx';
import { useFilters } from '../../use-filters.ts';
import { Chart } from './chart.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { MentionFilters, mentionFiltersIn } from './filters.tsx';
import { HoldRule } from './hold-rule.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { ImportProgress } from './import-progress.tsx';
import { useCheckNow } from './check-now.tsx';
import { PageName } from './page-name.tsx';
import { PagesList } from './pages-list.tsx';
import { Stream } from './stream.tsx';
import { pageWords } from './words.ts';
import styles from './webmentions.module.css';

const { keys } = pageWords;
const views = ['all', 'pages', 'chart'] as const;

/** The screen of the mentions that other sites made of the owner's pages. */
export function Webmentions(): ReactElement {
  const { opened, filters, search, narrow, onSearch, start } = useFilters('webmentions');
  const filter = mentionFiltersIn(filters);
  const [importing, setImporting] = useState(false);
  const [exporting, setExporting] = useState(false);
  const { button: checkNow, outcome } = useCheckNow();
  const { progress = null, last = null } = useAnswer('webmentions.importState', {}).data ?? {};
  const view = views.find((name) => name === filters.view) ?? 'all';

  const isNarrowed = Object.keys(filter).length > 0;
  const openImport = () => setImporting(true);
  const nothingYet = <NothingYet onImport={openImport} />;

  return (
    <Page
      title={pageWords.title}
      about={<HoldRule />}
      actions={
        <ActionRow
          items={[
            { label: pageWords.import, Icon: IconDownload, onClick: openImport },
            { label: pageWords.exportAll, Icon: IconFileExport, onClick: () => setExporting(true) },
          ]}
        >
          {checkNow}
        </ActionRow>
      }
    >
      {exporting && <ExportDialog onClose={() => setExporting(false)} />}
      {importing && <ImportDialog onClose={() => setImporting(false)} />}
      <Stack gap="md">
        {outcome}
        {progress?.state === 'running' && !importing && <ImportProgress progress={progress} />}
        {last !== null && last.wouldRemove > 0 && !importing && (
          <Banner words={pageWords.noLongerListed(last.wouldRemove)}>
            <Button variant="default" size="xs" onClick={openImport}>
              {pageWords.review}
            </Button>
          </Banner>
        )}
        {(view !== 'all' || (isNarrowed && filter.status !== 'held')) && (
          <Waiting onShow={() => start({ status: 'held' })} />
        )}
        <SegmentedControl
          className={styles.views}
          aria-label={pageWords.view}
          data={views.map((value) => ({ value, label: pageWords.views[value] }))}
          value={view}
          onChange={(next) => start(next === 'all' ? {} : { view: next })}
        />
        {filter.target !== undefined && (
          <OnePage
            target={filter.target}
            onBack={() => start(view === 'pages' ? { view: 'pages' } : {})}
            words={view === 'pages' ? pageWords.allPages : pageWords.allMentions}
          />
        )}
        {view === 'chart' ? (
          <Chart onPage={(target) => start({ view: 'pages', target })} onAll={() => start()} />
        ) : view === 'pages' && filter.target === undefined ? (
          <PagesList onOpen={(target) => start({ view: 'pages', target })} empty={nothingYet} />
        ) : (
          <>
            <MentionFilters filter={filter} search={search} onSearch={onSearch} onChange={narrow} />
            <KeyHints />
            <Stream
              filter={filter}
              opened={opened}
              onOpen={(id) => setFilters('webmentions', id === null ? filters : { ...filters, id })}
              onOnlySite={(host) => start({ host })}
              empty={
                isNarrowed ? (
                  <NoMatch showAll={pageWords.showAll} onShowAll={() => start()}>
                    {filter.status === 'deleted' ? pageWords.noneDeleted : pageWords.noMatch}
                  </NoMatch>
                ) : (
                  nothingYet
                )
              }
            />
          </>
        )}
      </Stack>
    </Page>
  );
}

/** Says how many mentions wait for the owner, where the list doesn't begin with them. */
function Waiting({ onShow }: { onShow: () => void }): ReactElement | null {
  const held = useHeld();
  if (held === '') return null;
  return (
    <Banner words={pageWords.waiting(held)} isWaiting>
      <Button color="amber.5" size="xs" onClick={onShow}>
        {pageWords.showWaiting}
      </Button>
    </Banner>
  );
}

function Banner(props: { words: string; isWaiting?: boolean; children: ReactNode }): ReactElement {
  return (
    <div className={styles.banner} role="status" data-waits={props.isWaiting}>
      <Text fw={props.isWaiting === true ? 600 : undefined}>{props.words}</Text>
      {props.children}
    </div>
  );
}

function KeyHints(): ReactElement {
  return (
    <Text size="xs" c="dimmed" className={styles.keys}>
      {keys.label} <kbd>↑</kbd> <kbd>↓</kbd> {keys.or} <kbd>k</kbd> <kbd>j</kbd> {keys.move}, <kbd>Enter</kbd>{' '}
      {keys.open}, <kbd>x</kbd> {keys.select}, <kbd>a</kbd> {keys.approve}, <kbd>h</kbd> {keys.hide},{' '}
      <kbd>Delete</kbd> {keys.delete}, <kbd>Esc</kbd> {keys.close}.
    </Text>
  );
}

function OnePage(props: { target: string; words: string; onBack: () => void }): ReactElement {
  const pages = useAnswer('webmentions.pages', {});
  const title = pages.data?.find(({ target }) => target === props.target)?.title;
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
        {pageWords.mentionsOf}{' '}
        {title === undefined ? (
          <Address url={props.target} />
        ) : (
          <PageName target={props.target} title={title} />
        )}
      </Title>
    </div>
  );
}

function NothingYet({ onImport }: { onImport: () => void }): ReactElement {
  return (
    <Empty
      drawing="talk"
      step={
        <Button variant="default" onClick={onImport}>
          {pageWords.import}
        </Button>
      }
    >
      {pageWords.noneYet}
      <Anchor href={hashOf('setup')} inherit underline="always" c="inherit">
        {pageWords.setup}
      </Anchor>
      {pageWords.noneYetImport}
    </Empty>
  );
}
