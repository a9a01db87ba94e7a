"""Which commands start a loader's program, and what worker count, CPUs and shared memory each has there."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent

import pytest

from loaderlint.linking.link import link
from loaderlint.model.job import Job
from loaderlint.model.target import Platform, Target
from tests.linking.traced import project_of

LINUX = Target(Platform.LINUX, (3, 12))
TRAIN = """
import argparse
from torch.utils.data import DataLoader

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-j", "--num-workers", "--workers", type=int, default=4)
    parser.add_argument("--evaluate", action="store_true")
    parser.add_argument("--name")
    args = parser.parse_args()
    for batch in DataLoader([1], num_workers=0 if args.evaluate else args.num_workers):
        print(batch)

if __name__ == "__main__":
    main()
"""


def jobs(files: Mapping[str, str], program: str = TRAIN, path: str = "train.py") -> list[Job]:
    """The jobs of the only loader of a program that is started by other files."""
    texts = {path: dedent(program), **{name: dedent(text).removeprefix("\n") for name, text in files.items()}}
    (loader,) = link(project_of(texts)[0])
    return list(loader.program.jobs)


def told(job: Job) -> str:
    """A job in words: its kind, the worker counts its loader can have, its CPUs, and whether it has small memory."""
    counts = [str(one.constant) for one in job.num_workers.known] + ["?"] * job.num_workers.open
    words = [job.runner.name.lower(), " or ".join(counts) or "none"]
    if job.cpus is not None:
        words.append(f"on {job.cpus.number:g}" + (" lost" if job.cpus.lost else ""))
    return " ".join((*words, "small")[: len(words) + job.small_shm])


def in_shell(script: str) -> list[str]:
    return [told(one) for one in jobs({"run.sh": script})]


def in_compose(service: str, **files: str) -> list[str]:
    text = "services:\n  train:\n    image: x\n" + "".join(
        f"    {line}\n" for line in dedent(service).strip().split("\n")
    )
    return [told(one) for one in jobs({"compose.yaml": text, **files})]


COMMANDS: dict[str, tuple[str, str]] = {
    "the default": ("srun python train.py", "slurm 4"),
    "a flag": ("srun python train.py --num-workers 8", "slurm 8"),
    "a flag with its value": ("srun python train.py --workers=8", "slurm 8"),
    "a short flag": ("srun python train.py -j 8", "slurm 8"),
    "a short flag with its value": ("srun python train.py -j8", "slurm 8"),
    "the last one": ("srun python train.py -j8 --workers=2", "slurm 2"),
    "a switch": ("srun python train.py --evaluate", "slurm 0"),
    "a switch beside it": ("srun python train.py --evaluate -j 8", "slurm 0 or 8"),
    "a variable": ("W=6\nsrun python train.py -j $W", "slurm 6"),
    "a variable with a default": ("srun python train.py -j ${W:-6}", "slurm 6"),
    "a variable from outside": ("srun python train.py -j $W", "slurm 0 or ?"),
    "words from outside": ("srun python train.py $ARGS", "slurm 4 or 0 or ?"),
    "words from outside beside it": ('srun python train.py -j 8 "$@"', "slurm 0 or 8 or ?"),
    "an abbreviation": ("srun python train.py --num-w 8", "slurm 4 or ?"),
    "another flag's value": ("srun python train.py --name job -j 2", "slurm 2"),
    "no number": ("srun python train.py -j many", "slurm ?"),
    "behind a double dash": ("srun python train.py -- -j 8", "slurm 4"),
}


LOOPED = TRAIN.replace(
    '    parser.add_argument("-j", "--num-workers", "--workers", type=int, default=4)\n',
    '    for name, value in [("num-workers", 4), ("size", 3)]:\n'
    '        parser.add_argument("--" + name, type=int, default=value)\n',
)
OF_A_LOOP: dict[str, tuple[str, str]] = {
    "the default": ("srun python train.py", "slurm 4"),
    "the flag": ("srun python train.py --num-workers 8", "slurm 8"),
    "another flag of the loop": ("srun python train.py --size 8", "slurm 4"),
    "words from outside": ("srun python train.py $ARGS", "slurm 4 or 0 or ?"),
}


@pytest.mark.parametrize("case", OF_A_LOOP)
def test_counts_of_a_flag_that_a_loop_declares(case: str) -> None:
    script, expected = OF_A_LOOP[case]
    assert [told(one) for one in jobs({"run.sh": script}, LOOPED)] == [expected]


@pytest.mark.parametrize(("script", "expected"), COMMANDS.values(), ids=COMMANDS.keys())
def test_the_worker_count_that_a_command_asks_for(script: str, expected: str) -> None:
    assert in_shell(script) == [expected]


STARTS: dict[str, str] = {
    "python": "python3.11 -u -X dev train.py",
    "a path": "/usr/bin/python /workspace/project/train.py",
    "a path behind a variable": 'python "$ROOT"/train.py',
    "a module": "python -m train",
    "torchrun": "torchrun --nproc_per_node 4 --rdzv-endpoint host:29500 train.py",
    "torchrun with a module": "torchrun --nproc_per_node=4 -m train",
    "torch's module": "python -m torch.distributed.run --nproc_per_node 4 train.py",
    "accelerate": "accelerate launch --mixed_precision fp16 train.py",
    "deepspeed": "deepspeed --num_gpus 4 train.py",
    "mpirun": "mpirun -np 4 python train.py",
    "uv": "uv run python train.py",
    "a container of the cluster's": "singularity exec --nv image.sif python train.py",
    "bash": 'bash -c "cd x && exec python train.py"',
    "the file itself": "./train.py",
}


@pytest.mark.parametrize("command", STARTS.values(), ids=STARTS.keys())
def test_what_starts_a_program(command: str) -> None:
    assert len(in_shell(f"srun {command}")) == 1
    assert len(in_shell(f"#SBATCH -c 4\n{command}\n")) == 1


STARTS_NOTHING = [
    "python other.py -j 8",
    "python -c 'import train'",
    "python -m pytest train.py",
    "pytest train.py",
    "uvicorn train:app --workers 8",
    "gunicorn -w 8 train:app",
    "make -j 8 train",
    "echo python train.py",
    "cat train.py",
    "cp train.py other.py",
    "bash",
    "bash missing.sh",
    "$COMMAND train.py",
    "hostname",
]


@pytest.mark.parametrize("command", STARTS_NOTHING)
def test_what_starts_no_program(command: str) -> None:
    assert in_shell(f"#SBATCH -c 4\n{command}\n") == []


def test_a_program_of_a_folder_that_the_script_went_to() -> None:
    others = {"train.py": "print(1)\n", "run.sh": "cd b\nsrun python train.py\n", "other.sh": "srun python train.py\n"}
    assert [one.span.path for one in jobs(others, path="b/train.py")] == ["run.sh"]


def test_of_two_files_with_one_name_none_is_meant_from_elsewhere() -> None:
    assert jobs({"b/train.py": "print(1)\n", "scripts/run.sh": "srun python train.py\n"}, path="a/train.py") == []
    assert len(jobs({"scripts/run.sh": "srun python train.py\n"}, path="a/train.py")) == 1


def test_a_script_that_another_starts_gets_its_arguments() -> None:
    files = {"inner.sh": 'python train.py -j "$1"\n', "run.sh": "srun bash inner.sh 8\n"}
    assert [told(one) for one in jobs(files)] == ["slurm 8"]
    files = {"inner.sh": 'exec python train.py "$@"\n', "run.sh": "srun ./inner.sh --workers 8\n"}
    assert [told(one) for one in jobs(files)] == ["slurm 8"]


def test_scripts_that_start_each_other_come_to_an_end() -> None:
    assert in_shell("#SBATCH -c 4\nbash run.sh\npython train.py --evaluate\n") == ["slurm 0 on 4"] * 4


SLURM: dict[str, tuple[str, list[str]]] = {
    "asked of srun": ("srun --cpus-per-task 2 python train.py --evaluate", ["slurm 0 on 2"]),
    "short": ("srun -c2 python train.py --evaluate", ["slurm 0 on 2"]),
    "the command's own -c": ("srun bash -c 'python train.py --evaluate'", ["slurm 0"]),
    "of the script": ("#SBATCH -c 4\npython train.py --evaluate", ["slurm 0 on 4"]),
    "of all tasks": ("#SBATCH -c 4 --ntasks=2\npython train.py --evaluate", ["slurm 0 on 8"]),
    "of the tasks of a node": ("#SBATCH -c 4 -n 8 --ntasks-per-node=2\npython train.py --evaluate", ["slurm 0 on 8"]),
    "of a whole node": ("#SBATCH -c 4 --exclusive\npython train.py --evaluate", ["slurm 0"]),
    "lost by srun": ("#SBATCH -c 4\nsrun python train.py --evaluate", ["slurm 0 on 1 lost"]),
    "lost by srun with variables": ("#SBATCH -c 4\nA=1 time srun python train.py --evaluate", ["slurm 0 on 1 lost"]),
    "by GPU": ("#SBATCH -c 4\nsrun --cpus-per-gpu=8 python train.py --evaluate", ["slurm 0"]),
    "bound to none": ("#SBATCH -c 4\nsrun --cpu-bind=none python train.py --evaluate", ["slurm 0"]),
    "exactly": ("#SBATCH -c 4\nsrun --exact python train.py --evaluate", ["slurm 0"]),
    "beside others": ("#SBATCH -c 4\nsrun --overlap python train.py --evaluate", ["slurm 0"]),
    "alone": ("#SBATCH -c 4\nsrun --exclusive python train.py --evaluate", ["slurm 0"]),
    "none to lose": ("#SBATCH -c 1\nsrun python train.py --evaluate", ["slurm 0"]),
    "asked of srun again": ("#SBATCH -c 4\nsrun -c 4 python train.py --evaluate", ["slurm 0 on 4"]),
    "asked of srun, unseen": ("#SBATCH -c 4\nsrun -c $N python train.py --evaluate", ["slurm 0"]),
    "options from outside": ("#SBATCH -c 4\nsrun $O python train.py --evaluate", ["slurm 0"]),
    "handed on": ("#SBATCH -c 4\nexport SRUN_CPUS_PER_TASK=4\nsrun python train.py --evaluate", ["slurm 0"]),
    "handed on once": ("#SBATCH -c 4\nSRUN_CPUS_PER_TASK=4 srun python train.py --evaluate", ["slurm 0"]),
    "no script of Slurm's": ("python train.py --evaluate", []),
}


@pytest.mark.parametrize(("script", "expected"), SLURM.values(), ids=SLURM.keys())
def test_the_cpus_of_slurm(script: str, expected: list[str]) -> None:
    assert in_shell(script) == expected


SBATCH: dict[str, tuple[str, str, list[str]]] = {
    "what the script asks for": ("#SBATCH -c 4\npython train.py -j $1", "sbatch job.slurm 8", ["? on 4", "8 on 4"]),
    "what sbatch asks for": ("#SBATCH -c 4\npython train.py", "sbatch -p x -c 2 job.slurm", ["4 on 4", "4 on 2"]),
    "by sbatch alone": ("python train.py", "sbatch --cpus-per-task=2 ./job.slurm", ["4 on 2"]),
    "lost by srun": ("srun python train.py", "sbatch --cpus-per-task=2 job.slurm", ["4", "4 on 1 lost"]),
    "a command": ("", 'sbatch -c 2 --wrap="python train.py -j 8"', ["8 on 2"]),
    "a script that is not there": ("", "sbatch -c 2 other.slurm", []),
    "nothing": ("", "sbatch", []),
}


@pytest.mark.parametrize(("script", "submitted", "expected"), SBATCH.values(), ids=SBATCH.keys())
def test_what_sbatch_hands_to_slurm(script: str, submitted: str, expected: list[str]) -> None:
    program = TRAIN.replace("0 if args.evaluate else ", "")
    found = jobs({"job.slurm": script, "submit.sh": f"{submitted}\n"}, program)
    assert [told(one).removeprefix("slurm ") for one in found] == expected


DOCKER: dict[str, tuple[str, list[str]]] = {
    "nothing asked": ("docker run --rm x python train.py --evaluate", ["docker 0 small"]),
    "podman": ("podman run --rm x python train.py --evaluate", ["docker 0 small"]),
    "the long form": ("sudo docker container run x python train.py --evaluate", ["docker 0 small"]),
    "an image from outside": ("docker run -v $PWD:/x $IMAGE python train.py --evaluate", ["docker 0 small"]),
    "its size": ("docker run --shm-size 8g x python train.py --evaluate", ["docker 0"]),
    "that of the host": ("docker run --ipc=host x python train.py --evaluate", ["docker 0"]),
    "a volume": ("docker run -v /dev/shm:/dev/shm x python train.py --evaluate", ["docker 0"]),
    "options known": ("O='--rm --ipc=host'\ndocker run $O x python train.py --evaluate", ["docker 0"]),
    "options from outside": ("docker run $O x python train.py --evaluate", []),
    "another entry point": ("docker run --entrypoint python x train.py --evaluate", []),
    "CPUs": ("docker run --cpus=2.5 --ipc=host x python train.py --evaluate", ["docker 0 on 2.5"]),
    "what the image runs": ("docker run x", []),
    "no run": ("docker exec x python train.py --evaluate", []),
}


@pytest.mark.parametrize(("script", "expected"), DOCKER.values(), ids=DOCKER.keys())
def test_what_docker_gives_a_container(script: str, expected: list[str]) -> None:
    assert in_shell(script) == expected


COMPOSE: dict[str, tuple[str, list[str]]] = {
    "a text": ("command: python train.py --evaluate", ["compose 0 small"]),
    "a text in quotes": ("command: \"python train.py --evaluate --name 'a b'\"", ["compose 0 small"]),
    "a folded text": ("command: >\n  python train.py\n  --evaluate", ["compose 0 small"]),
    "a list": ("command: [python, train.py, --evaluate]", ["compose 0 small"]),
    "an entry point": ("entrypoint: python\ncommand: train.py --evaluate", ["compose 0 small"]),
    "a shell": ("command: ['sh', '-c', 'python train.py --evaluate']", ["compose 0 small"]),
    "a default": ("command: python train.py --name=${N:-x} ${A:---evaluate}", ["compose 0 small"]),
    "its size": ("shm_size: 1gb\ncommand: python train.py --evaluate", ["compose 0"]),
    "that of the host": ("ipc: host\ncommand: python train.py --evaluate", ["compose 0"]),
    "one of its own": ("ipc: private\ncommand: python train.py --evaluate", ["compose 0 small"]),
    "a file system": ("tmpfs: [/run, /dev/shm]\ncommand: python train.py --evaluate", ["compose 0"]),
    "the build's size": ("build: {shm_size: 1gb}\ncommand: python train.py --evaluate", ["compose 0 small"]),
    "CPUs": ("cpus: 0.5\ncommand: python train.py --evaluate", ["compose 0 on 0.5 small"]),
    "limits": (
        "deploy: {resources: {limits: {cpus: '2'}}}\ncommand: python train.py --evaluate",
        ["compose 0 on 2 small"],
    ),
    "reservations": (
        "deploy: {resources: {reservations: {cpus: '2'}}}\ncommand: python train.py --evaluate",
        ["compose 0 small"],
    ),
    "CPUs from outside": ("cpus: ${CPUS}\ncommand: python train.py --evaluate", ["compose 0 small"]),
    "what another service says": ("extends: other\ncommand: python train.py --evaluate", []),
    "no command": ("build: .", []),
    "a web server": ("command: gunicorn train:app --workers 4", []),
}


@pytest.mark.parametrize(("service", "expected"), COMPOSE.values(), ids=COMPOSE.keys())
def test_what_compose_gives_a_service(service: str, expected: list[str]) -> None:
    assert in_compose(service) == expected


def test_what_a_file_beside_a_compose_file_says_of_a_service_holds_as_well() -> None:
    override = "services:\n  train:\n    shm_size: 8gb\n"
    assert in_compose("command: python train.py --evaluate", **{"compose.override.yaml": override}) == ["compose 0"]
    assert in_compose("command: python train.py --evaluate", **{"other/compose.yaml": override}) == ["compose 0 small"]


POD = """
kind: {kind}
apiVersion: v1
spec:
  {pod}
  containers:
    - name: train
      command: ["python"]
      args: ["train.py", "--evaluate"]
      {container}
"""

PODS: dict[str, tuple[str, str, list[str]]] = {
    "nothing asked": ("x: 1", "image: x", ["kubernetes 0 small"]),
    "mounted": ("x: 1", "volumeMounts: [{name: shm, mountPath: /dev/shm}]", ["kubernetes 0"]),
    "that of the host": ("hostIPC: true", "image: x", ["kubernetes 0"]),
    "CPUs": ("x: 1", "resources: {limits: {cpu: 2}}", ["kubernetes 0 on 2 small"]),
    "thousandths": ("x: 1", "resources: {limits: {cpu: 1500m}}", ["kubernetes 0 on 1.5 small"]),
    "requests": ("x: 1", "resources: {requests: {cpu: 2}}", ["kubernetes 0 small"]),
}


@pytest.mark.parametrize(("pod", "container", "expected"), PODS.values(), ids=PODS.keys())
def test_what_kubernetes_gives_a_container(pod: str, container: str, expected: list[str]) -> None:
    assert [told(one) for one in jobs({"pod.yaml": POD.format(kind="Pod", pod=pod, container=container)})] == expected


def test_a_file_with_containers_that_is_none_of_kubernetes_is_passed_over() -> None:
    text = POD.format(kind="Pod", pod="x: 1", container="image: x").replace("apiVersion: v1\n", "")
    assert jobs({"pod.yaml": text}) == []


def test_a_template_that_is_no_yaml_is_nobodys_mistake() -> None:
    project, _ = project_of(
        {"train.py": TRAIN, "job.yaml": "containers:\n  {{ x }}\n  - command: [python, train.py]\n"}
    )
    assert [list(loader.program.jobs) for loader in link(project)] == [[]]
    assert not project.failures


def test_a_program_that_never_makes_the_loader_has_no_job_of_it() -> None:
    files = {
        "serve.py": "from train import main\ndef retrain():\n    main()\nprint(1)\n",
        "fit.py": "from train import main\nmain()\n",
        "run.sh": "srun python serve.py\nsrun python fit.py --evaluate\n",
    }
    assert [(one.runs, told(one)) for one in jobs(files)] == [("fit.py", "slurm 0")]


def test_what_another_program_gives_is_not_asked_for_by_this_one() -> None:
    files = {
        "large.py": "from data import make\nif __name__ == '__main__':\n    list(make(16))\n",
        "small.py": "from data import make\nif __name__ == '__main__':\n    list(make(2))\n",
        "run.sh": "srun -c 4 python small.py\n",
    }
    program = "from torch.utils.data import DataLoader\ndef make(n):\n    return DataLoader([1], num_workers=n)\n"
    assert [told(one) for one in jobs(files, program, "data.py")] == ["slurm 2 on 4"]


def test_the_options_of_click_are_read() -> None:
    program = """
    import click
    from torch.utils.data import DataLoader

    @click.command()
    @click.option("--workers", "-w", type=int, default=4)
    def main(workers):
        for batch in DataLoader([1], num_workers=workers):
            print(batch)

    main()
    """
    files = {"run.sh": "srun python train.py\nsrun python train.py -w 8\n"}
    assert [told(one) for one in jobs(files, program)] == ["slurm 4", "slurm 8"]


def test_the_way_of_a_count_begins_at_its_word() -> None:
    (job,) = jobs({"run.sh": "srun python train.py --workers=8\n"})
    (count,) = [one for one in job.num_workers.known if one.constant == 8]
    assert str(count.span) == "run.sh:1:22"
    assert [step.note for step in count.trail] == ["--workers 8", "-j"]


def test_the_counts_of_a_job_are_known_only_when_all_are_and_each_starts_workers() -> None:
    asked = "srun python train.py -j {}\n"
    program = TRAIN.replace("0 if args.evaluate else ", "")
    for text, expected in (("8", [8]), ("0", []), ("$N", [])):
        (job,) = jobs({"run.sh": asked.format(text)}, program)
        assert [one.constant for one in job.workers_on(LINUX)] == expected


HYDRA = """
import hydra
from torch.utils.data import DataLoader

@hydra.main(config_path="conf", config_name="train")
def main(cfg):
    for batch in DataLoader([1], num_workers=cfg.data.num_workers):
        print(batch)

if __name__ == "__main__":
    main()
"""
CONFIGURATION = {
    "conf/train.yaml": "defaults:\n  - data: mnist\nseed: 1\nlogger:\n  num_workers: 1\n",
    "conf/data/mnist.yaml": "num_workers: 4\nbatch_size: 8\n",
    "conf/data/imagenet.yaml": "num_workers: 16\n",
}

OVERRIDES: dict[str, tuple[str, str]] = {
    "none": ("", "4"),
    "of another setting": ("seed=2 data.batch_size=16 hydra.run.dir=x", "4"),
    "of the count": ("data.num_workers=8", "8"),
    "of the count, added": ("seed=2 ++data.num_workers=8", "8"),
    "the last one": ("data.num_workers=8 data.num_workers=2", "2"),
    "of another count": ("logger.num_workers=8", "4 or 16 or ?"),
    "from outside": ("data.num_workers=$N", "4 or 16 or ?"),
    "worked out": ("'data.num_workers=${oc.env:N}'", "4 or 16 or ?"),
    "another choice": ("data=imagenet", "16"),
    "another choice, and of the count": ("data=imagenet data.num_workers=6", "6"),
    "a choice there is not": ("data=cifar", "4 or 16 or ?"),
    "two choices": ("data=imagenet logger=csv data=mnist", "4 or 16 or ?"),
    "another file": ("--config-name=other", "4 or 16 or ?"),
    "several runs": ("-m data.num_workers=1,2", "4 or 16 or ?"),
    "words from outside": ('"$@"', "4 or 16 or ?"),
}


@pytest.mark.parametrize(("words", "expected"), OVERRIDES.values(), ids=OVERRIDES.keys())
def test_words_that_replace_settings(words: str, expected: str) -> None:
    files = {**CONFIGURATION, "run.sh": f"srun python train.py {words}\n"}
    assert [told(one) for one in jobs(files, HYDRA)] == [f"slurm {expected}"]


def test_the_way_of_a_replaced_setting_begins_at_its_word() -> None:
    (job,) = jobs({**CONFIGURATION, "run.sh": "srun python train.py data.num_workers=8\n"}, HYDRA)
    (count,) = job.num_workers.known
    assert str(count.span) == "run.sh:1:22"
    assert count.trail[0].note == "data.num_workers=8"


READS_A_FILE = """
import argparse
import yaml
from torch.utils.data import DataLoader

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("config", nargs="?", default="small.yaml")
    args = parser.parse_args()
    with open(args.config) as file:
        settings = yaml.safe_load(file)
    for batch in DataLoader([1], num_workers=settings["num_workers"]):
        print(batch)

if __name__ == "__main__":
    main()
"""
READS_ITS_FIRST_WORD = READS_A_FILE.replace("args.config", "sys.argv[1]").replace(
    "import yaml", "import sys\nimport yaml"
)
SETTINGS = {"small.yaml": "num_workers: 2\n", "conf/large.yaml": "num_workers: 16\n"}

NAMED_FILES: dict[str, tuple[str, str]] = {
    "a file": ("conf/large.yaml", "16"),
    "a file of the folder it is in": ("./large.yaml", "16"),
    "a file beside a flag": ("--verbose small.yaml", "2"),
    "the file of a flag": ("--config=small.yaml", "2"),
    "a file that is not shipped": ("other.yaml", "16 or 2 or ?"),
    "one file of several": ("small.yaml other.yaml", "16 or 2 or ?"),
    "a file from outside": ("$CONFIG", "16 or 2 or ?"),
    "words from outside beside it": ("small.yaml $WORDS", "16 or 2 or ?"),
    "no file": ("", "16 or 2 or ?"),
}


@pytest.mark.parametrize(("words", "expected"), NAMED_FILES.values(), ids=NAMED_FILES.keys())
def test_words_that_name_the_file_a_program_reads(words: str, expected: str) -> None:
    files = {**SETTINGS, "run.sh": f"srun python train.py {words}\n"}
    assert [told(one) for one in jobs(files, READS_ITS_FIRST_WORD)] == [f"slurm {expected}"]


def test_a_flag_that_is_not_given_leaves_a_program_the_file_of_its_default() -> None:
    program = READS_A_FILE.replace('"config", nargs="?"', '"--config"')
    script = "srun python train.py\nsrun python train.py --config conf/large.yaml\n"
    assert [told(one) for one in jobs({**SETTINGS, "run.sh": script}, program)] == ["slurm 2", "slurm 16"]


def test_a_file_that_another_program_reads_is_not_read_by_this_one() -> None:
    files = {
        "large.py": "import sys, yaml\nfrom data import make\n"
        "if __name__ == '__main__':\n    list(make(yaml.safe_load(open(sys.argv[1]))['num_workers']))\n",
        "small.py": "from data import make\nif __name__ == '__main__':\n    list(make(2))\n",
        "a.yaml": "num_workers: 16\n",
        "run.sh": "srun -c 4 python small.py a.yaml\n",
    }
    program = "from torch.utils.data import DataLoader\ndef make(n):\n    return DataLoader([1], num_workers=n)\n"
    assert [told(one) for one in jobs(files, program, "data.py")] == ["slurm 2 or ? on 4"]


RANKS: dict[str, tuple[str, int]] = {
    "torchrun": ("torchrun --nproc_per_node=4 train.py", 4),
    "its other spelling": ("torchrun --nproc-per-node 4 train.py -j 2", 4),
    "the module": ("python -m torch.distributed.launch --nproc_per_node=4 train.py", 4),
    "deepspeed": ("deepspeed --num_gpus 4 train.py --deepspeed", 4),
    "accelerate on one machine": ("accelerate launch --num_machines 1 --num_processes=4 train.py", 4),
    "on each of several": ("torchrun --nnodes 2 --nproc_per_node 4 train.py", 4),
    "under srun": ("srun torchrun --nproc_per_node 4 train.py", 4),
    "a variable": ("N=4\ntorchrun --nproc_per_node $N train.py", 4),
}
NO_RANKS = {
    "on all of several": "accelerate launch --num_machines 2 --num_processes 8 train.py",
    "as many as there are GPUs": "torchrun --nproc_per_node gpu train.py",
    "a variable from outside": "torchrun --nproc_per_node $N train.py",
    "an option of the program": "python train.py --num_gpus 4",
}


@pytest.mark.parametrize(("script", "ranks"), RANKS.values(), ids=list(RANKS))
def test_ranks_of_one_machine(script: str, ranks: int) -> None:
    (job,) = jobs({"run.sh": script})
    assert job.ranks is not None
    assert job.ranks.number == ranks


@pytest.mark.parametrize("script", NO_RANKS.values(), ids=list(NO_RANKS))
def test_ranks_that_are_not_known(script: str) -> None:
    assert all(one.ranks is None for one in jobs({"run.sh": script}))
