"""Executes notebooks top to bottom with the tslab kernel; started by scripts/notebooks.ts, which prepares the kernel.

usage: notebooks.py PROJECT (--check | --write) NOTEBOOK...

A failing cell ends the run with exit code 1 and everything the cell said. --write stores the outputs in the notebooks;
--check compares them with what the notebooks hold and fails where they differ.
"""

import sys

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError


def said(cell):
    """What a cell printed, its errors included, as text."""
    lines = []
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            lines.append(output.text)
        elif output.output_type == "error":
            lines.append("\n".join([output.ename, output.evalue, *output.traceback]))
    return "".join(lines).strip()


def tidied(outputs):
    """Outputs as they are stored: neighbouring pieces of one stream joined, execution counts left out."""
    kept = []
    for output in outputs:
        output = dict(output, **({"execution_count": None} if "execution_count" in output else {}))
        if output["output_type"] == "stream" and kept and kept[-1].get("name") == output["name"]:
            kept[-1]["text"] += output["text"]
        else:
            kept.append(output)
    return kept


def execute(path, project):
    """The notebook after its execution, and what went wrong: nothing, or a text that shows the failing cell."""
    notebook = nbformat.read(path, as_version=4)
    started = []
    client = NotebookClient(
        notebook,
        kernel_name="tslab",
        timeout=300,
        record_timing=False,
        resources={"metadata": {"path": project}},
        on_cell_start=lambda cell, cell_index: started.append(cell),
    )
    try:
        client.execute()
    except (CellExecutionError, DeadKernelError, TimeoutError) as error:
        return notebook, f"{path}: a cell failed\n{started[-1].source}\n---\n{said(started[-1]) or error}"
    idle = [cell for cell in code_cells(notebook) if cell.execution_count is None]
    return notebook, f"{path}: a cell did not run\n{idle[0].source}" if idle else None


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]


def main():
    project, mode, *paths = sys.argv[1:]
    failed = False
    for path in paths:
        stored = [tidied(cell.outputs) for cell in code_cells(nbformat.read(path, as_version=4))]
        notebook, problem = execute(path, project)
        for cell in code_cells(notebook):
            cell.outputs = [nbformat.from_dict(output) for output in tidied(cell.outputs)]
            cell.execution_count = None
            cell.metadata = nbformat.from_dict({})
        if problem is None and mode == "--write":
            nbformat.write(notebook, path)
        elif problem is None and [cell.outputs for cell in code_cells(notebook)] != stored:
            problem = f"{path}: outputs differ from the stored ones; npm run notebooks -- --write stores them anew"
        print(problem or f"{path}: {len(stored)} cells ran", flush=True)
        failed = failed or problem is not None
    sys.exit(1 if failed else 0)


main()
