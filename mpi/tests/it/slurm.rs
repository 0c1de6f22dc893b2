//! The host file given to the real `srun`, where Slurm is installed: a cluster of its own on this machine, with played hosts.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use meshwright_core::units::NodeId;
use meshwright_hosts::launcher::{self, Hosts, Launch, Ranks};
use meshwright_hosts::slurm;
use meshwright_mapping::{Placement, task_file};
use meshwright_network::topology::{Machine, Topology};

/// The first of these programs that is somewhere on the path.
fn program(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).chain(["/usr/sbin".into()]).collect();
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|file| file.is_file())
}

/// A cluster of hosts n0, n1, ..., which ends with this value.
struct Cluster {
    folder: tempfile::TempDir,
    daemons: Vec<Child>,
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for daemon in &mut self.daemons {
            _ = daemon.kill();
            _ = daemon.wait();
        }
    }
}

const HOSTS: u16 = 4;

fn configuration(folder: &Path, controller: &str, plugins: Option<&Path>) -> String {
    let port = 20_000 + (std::process::id() % 20_000) as u16;
    let (first, last) = (port + 1, port + HOSTS);
    let folder = folder.display();
    let plugins = plugins.map_or(String::new(), |plugins| format!("PluginDir={}\n", plugins.display()));
    format!(
        "ClusterName=played\nSlurmctldHost={controller}(127.0.0.1)\nSlurmUser=root\nAuthType=auth/none\nCredType=cred/none\n\
         {plugins}SlurmctldPort={port}\nSlurmctldPidFile={folder}/controller.pid\nSlurmdPidFile={folder}/%n.pid\n\
         StateSaveLocation={folder}/state\nSlurmdSpoolDir={folder}/%n\nProctrackType=proctrack/linuxproc\n\
         TaskPlugin=task/none\nSwitchType=switch/none\nMpiDefault=none\nSelectType=select/cons_tres\n\
         SelectTypeParameters=CR_Core\nReturnToService=2\nSlurmdParameters=config_overrides\n\
         NodeName=n[0-3] NodeHostname=n[0-3] NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=4 CoresPerSocket=4\n\
         PartitionName=all Nodes=n[0-3] Default=YES State=UP\n"
    )
}

/// Starts it; nothing where Slurm is not installed.
fn cluster() -> Option<Cluster> {
    let controller = program(&["slurmctld", "slurmctld-wlm"])?;
    let node = program(&["slurmd", "slurmd-wlm"])?;
    let step = program(&["slurmstepd", "slurmstepd-wlm"])?;
    let folder = tempfile::tempdir().unwrap();
    let host = Command::new("hostname").output().ok()?;
    let host = String::from_utf8(host.stdout).ok()?;
    // Unpacked and not installed, it does not find its plugins by itself.
    let root = controller.ancestors().nth(3)?;
    let plugins = root.join("usr/lib/x86_64-linux-gnu/slurm-wlm");
    let plugins = Some(plugins.as_path()).filter(|plugins| plugins.is_dir());
    let file = folder.path().join("slurm.conf");
    std::fs::write(&file, configuration(folder.path(), host.trim(), plugins)).unwrap();
    std::fs::create_dir(folder.path().join("state")).unwrap();
    let start = |command: &mut Command| {
        command.env("SLURM_CONF", &file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    };
    let mut daemons = vec![start(Command::new(&controller).args(["-D", "-c"]))];
    for number in 0..HOSTS {
        let name = format!("n{number}");
        std::fs::create_dir(folder.path().join(&name)).unwrap();
        let mut played = Command::new("unshare");
        played.args(["--uts", "sh", "-c", "hostname $0; exec \"$@\"", &name]).arg(&node);
        daemons.push(start(played.args(["-D", "-N", &name, "-d"]).arg(&step).arg("-f").arg(&file)));
    }
    Some(Cluster { folder, daemons })
}

impl Cluster {
    fn run(&self, name: &str, arguments: &[&str], variables: &[(&str, &str)]) -> String {
        let mut command = Command::new(program(&[name]).expect("it comes with the others"));
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null()).stdout(Stdio::piped());
        command.env("SLURM_CONF", self.folder.path().join("slurm.conf")).envs(variables.iter().copied());
        let output = crate::mpirun::ended(command.spawn().unwrap(), Duration::from_secs(60));
        String::from_utf8(output.stdout).unwrap()
    }

    fn wait_for_hosts(&self) {
        let begin = Instant::now();
        while self.run("sinfo", &["-h", "-t", "idle", "-o", "%D"], &[]).trim() != HOSTS.to_string() {
            assert!(begin.elapsed() < Duration::from_secs(60), "the hosts do not come up");
            std::thread::sleep(Duration::from_millis(500));
        }
    }
}

/// Six tasks on four hosts of two slots: Slurm puts each on the host of its node, and its environment reads back as a machine.
#[test]
#[ignore = "needs the daemons of Slurm, and root"]
fn a_host_file_brings_every_task_to_its_host() {
    let Some(cluster) = cluster() else {
        eprintln!("\n*** NOT TESTED: Slurm is not installed ***\n");
        return;
    };
    cluster.wait_for_hosts();
    let planned = |name: &str| match name {
        "SLURM_JOB_NODELIST" => Some("n[0-3]".to_string()),
        "SLURM_TASKS_PER_NODE" => Some("2(x4)".to_string()),
        _ => None,
    };
    let machine = slurm::machine("slurm", "", &planned).unwrap();
    let tasks = b"phase,source,target,bytes\n0,0,1,8\n0,1,2,8\n0,2,3,8\n0,3,4,8\n0,4,5,8\n";
    let tasks = task_file::parse(&tasks[..], "row.phases.csv").unwrap();
    let placement = Placement { name: "by hand".into(), nodes: [4, 0, 5, 7, 1, 6].map(NodeId).to_vec() };
    let hosts = Hosts::of(&machine);
    let launch =
        Launch { tasks: &tasks, placement: &placement, machine: &machine, ranks: Ranks::Task, hosts: &hosts };
    let file = (launcher::format("slurm-hostfile").unwrap().write)(&launch);
    assert_eq!(file, "n2\nn0\nn2\nn3\nn0\nn3\n");
    std::fs::write(cluster.folder.path().join("hosts.txt"), &file).unwrap();
    let tell = "echo \"$SLURM_PROCID $(hostname) $SLURM_JOB_NODELIST $SLURM_TASKS_PER_NODE\"";
    let arguments = ["--distribution=arbitrary", "-n", "6", "sh", "-c", tell];
    let told = cluster.run("srun", &arguments, &[("SLURM_HOSTFILE", "hosts.txt")]);
    let mut lines: Vec<Vec<&str>> = told.lines().map(|line| line.split(' ').collect()).collect();
    lines.sort_unstable();
    let found: String = lines.iter().map(|words| format!("{}\n", words[1])).collect();
    assert_eq!(found, file, "{told}");
    let real = |name: &str| match name {
        "SLURM_JOB_NODELIST" => Some(lines[0][2].to_string()),
        "SLURM_TASKS_PER_NODE" => Some(lines[0][3].to_string()),
        _ => None,
    };
    let job: Machine = slurm::machine("slurm", "", &real).unwrap();
    let mut of_job: Vec<&str> = job.places().iter().map(|place| place.host.as_str()).collect();
    let mut of_file: Vec<&str> = file.lines().collect();
    of_job.sort_unstable();
    of_file.sort_unstable();
    assert_eq!((job.nodes(), of_job), (6, of_file), "{told}");
}
